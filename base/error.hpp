// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace epochcast {

/// Bad input from the user: one or more problems, each a complete sentence that says where and what
/// to do.
///
/// A problem is one line of printable() text. Caught in main, printed one problem a line,
/// exit status 2. Our own bugs are never UserErrors.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& problem);
  explicit UserError(std::vector<std::string> problems);

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

/// A run that failed although its input was good (a full disk, a dead process): exit status 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the result of `work`, for main. If `work` throws, prints the reasons on stderr, a line
/// each that begins with the program's name, and returns the exit status of the exception
/// (base/process/ending.hpp). Meanwhile, text written to std::cout and std::cerr is made
/// printable().
[[nodiscard]] int exit_status(const std::string& program, const std::function<int()>& work);

}  // namespace epochcast
