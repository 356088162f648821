// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/problems.hpp"
#include "base/text/units.hpp"

namespace epochcast {

/// A JSON value with its path, for reading untrusted files.
///
/// Readers return a harmless default after they have reported a problem, to find all problems in
/// one pass; call Problems::throw_if_any() before the result is used. Key look-ups are remembered:
/// finish() reports unknown ones.
class JsonInput {
 public:
  JsonInput(const nlohmann::json& value, std::string path, Problems& problems);

  [[nodiscard]] bool has(std::string_view key) const;
  /// Member `key`; reported when absent (the returned input then holds null and reports nothing
  /// more).
  [[nodiscard]] JsonInput at(const std::string& key);
  [[nodiscard]] std::optional<JsonInput> maybe(const std::string& key);
  /// Elements of an array (reported if it is none, or has fewer than `at_least`).
  [[nodiscard]] std::vector<JsonInput> elements(std::size_t at_least = 0) const;
  /// Members of an object whose keys are names rather than fields; not subject to finish().
  [[nodiscard]] std::vector<JsonInput> members() const;

  /// A plain text (see is_plain_text()) that is not empty.
  [[nodiscard]] std::string string() const;
  /// The name of a platform, network, data set, trace or device: see is_name().
  [[nodiscard]] std::string identifier() const;
  [[nodiscard]] bool boolean() const;
  /// An integer in [low, high].
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high = kMaxCount) const;
  /// A positive quantity with unit (zero too, when `allow_zero`).
  [[nodiscard]] double quantity(Dimension dimension, bool allow_zero = false) const;
  /// Non-negative plain numbers, at most 1e9.
  [[nodiscard]] std::vector<double> samples() const;

  void fail(const std::string& expected) const;
  void problem(const std::string& text) const;
  /// Reports every key of this object that was never looked up, with "did you mean".
  void finish() const;

  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The last step of the path: a key or an index.
  [[nodiscard]] std::string name() const;

  static constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;

 private:
  [[nodiscard]] bool is_absent() const;

  const nlohmann::json* value_;
  std::string path_;
  Problems* problems_;
  std::vector<std::string> known_;
  bool silent_ = false;  ///< replaces an absent member, already reported
};

/// Checks that the top level is an object whose "schema" is `schema`.
[[nodiscard]] JsonInput open_document(const nlohmann::json& document,
                                      std::string_view schema,
                                      Problems& problems);

}  // namespace epochcast
