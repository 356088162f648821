// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace epochcast::tests {

/// A temporary file.
class TestFile {
 public:
  /// `name`: the suffix of its name.
  TestFile(const std::string& name, const std::string& bytes);
  ~TestFile();
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The bytes compressed by gzip.
[[nodiscard]] std::string gzipped(const std::string& bytes);

/// A file of tests/analysis/data.
[[nodiscard]] std::filesystem::path data_file(const std::string& name);

}  // namespace epochcast::tests
