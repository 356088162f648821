// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace epochcast::tests {

/// A file of one test, removed in the end.
class TestFile {
 public:
  /// `name`: what its name ends in.
  TestFile(const std::string& name, const std::string& bytes);
  ~TestFile();
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The bytes as gzip packs them.
[[nodiscard]] std::string gzipped(const std::string& bytes);

/// A file of tests/analysis/data.
[[nodiscard]] std::filesystem::path data_file(const std::string& name);

}  // namespace epochcast::tests
