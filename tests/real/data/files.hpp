// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "real/data/data_source.hpp"

namespace epochcast::real::tests {

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;
using Texts = std::vector<std::string>;

/// A temporary folder.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The folder's name with a file's: the prefix of errors.
  [[nodiscard]] std::string operator/(const std::string& file) const {
    return (path_ / file).string();
  }

 private:
  std::filesystem::path path_;
};

/// Writes the file, and the folders that it needs.
void write_file(const std::filesystem::path& file, const Bytes& bytes);
void write_file(const std::filesystem::path& file, const std::string& text);

/// With the given shape and sizes; the name is "tiny", the title "Tiny".
[[nodiscard]] Dataset tiny_dataset(std::vector<std::int64_t> shape,
                                   std::int64_t classes,
                                   std::int64_t train_samples,
                                   std::int64_t test_samples);

struct Sample {
  Floats values;
  std::int64_t label = -1;

  bool operator==(const Sample&) const = default;
};

[[nodiscard]] Sample sample_of(const DataSource& source,
                               std::int64_t index,
                               std::optional<std::uint64_t> variant = std::nullopt);

/// The text of the RunError that `call` throws; empty when it throws none.
template <typename Call>
std::string run_error_of(Call call) {
  try {
    call();
  } catch (const RunError& error) {
    return error.what();
  }
  return {};
}

}  // namespace epochcast::real::tests
