// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/input_file.hpp"
#include "core/units.hpp"

namespace epochcast {

/// Collects every problem of one file, so that the user sees all of them at once.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// Adds `FILE: PATH: got VALUE; expected EXPECTED`.
  void expected(const std::string& path, const nlohmann::json& value, const std::string& expected);
  /// Adds `FILE: PATH: TEXT`. Throws with those there are when they become too many to read.
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

/// A JSON value with its path, for reading untrusted files.
///
/// Readers return a harmless default after they have reported a problem, so that reading goes on to
/// find the rest; call Problems::throw_if_any() before the result is used. Key look-ups are
/// remembered: finish() reports unknown ones.
class JsonInput {
 public:
  JsonInput(const nlohmann::json& value, std::string path, Problems& problems);

  [[nodiscard]] bool has(std::string_view key) const;
  /// Member `key`; reported when absent (the returned input then holds null and reports nothing
  /// more).
  [[nodiscard]] JsonInput at(const std::string& key);
  [[nodiscard]] std::optional<JsonInput> maybe(const std::string& key);
  /// Elements of an array (reported when it is none, or empty where `at_least` says otherwise).
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
  bool silent_ = false;  ///< stands in for an absent member, already reported
};

/// The parsed file. Throws a UserError with file, line and column when it cannot be read or parsed,
/// or when it is nested deeper than any of our formats, or has a key twice in an object.
[[nodiscard]] nlohmann::json read_json_file(const std::filesystem::path& file,
                                            const FileKind& kind = kModelFile);
/// The same for a text already in memory, `name` standing for the file in messages.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& name);

/// Checks that the top level is an object whose "schema" is `schema`.
[[nodiscard]] JsonInput open_document(const nlohmann::json& document,
                                      std::string_view schema,
                                      Problems& problems);

}  // namespace epochcast
