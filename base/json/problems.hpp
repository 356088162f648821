// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace epochcast {

/// Collects every problem of one file, so that the user sees all of them at once.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// Adds `FILE: PATH: got VALUE; expected EXPECTED`.
  void expected(const std::string& path, const nlohmann::json& value, const std::string& expected);
  /// Adds `FILE: PATH: TEXT`. Throws a UserError when there are too many.
  void add(const std::string& path, const std::string& text);
  /// Throws a UserError with all problems, if there are any.
  void throw_if_any() const;

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] std::size_t size() const { return problems_.size(); }

 private:
  std::string file_;
  std::vector<std::string> problems_;
};

/// The key as a step of a path (RFC 6901): "a~1b" for "a/b".
[[nodiscard]] std::string path_step(const std::string& key);

}  // namespace epochcast
