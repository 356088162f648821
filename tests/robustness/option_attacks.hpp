// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/statistics/random.hpp"

namespace epochcast::tests {

/// A command, and options of its job, by name; the values are valid.
struct Attacked {
  std::string command;
  std::map<std::string, std::string> good;
  std::vector<std::string> always = {};  ///< options that stay
};

/// Every command, with short jobs.
[[nodiscard]] std::vector<Attacked> attacked_commands();

/// The actions of one case.
struct Attack {
  std::vector<std::string> arguments;
  std::string option;  ///< that gets the value
  std::string value;
  std::string experiment;  ///< the file of that name, if it is given there
};

/// The job with a hostile value for one of `options`, as a flag or in an experiment file.
[[nodiscard]] Attack attack_on(const Attacked& job,
                               const std::vector<std::string>& options,
                               Random& random);

}  // namespace epochcast::tests
