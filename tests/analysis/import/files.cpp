// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/import/files.hpp"

#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <sstream>

namespace epochcast::tests {

TestFile::TestFile(const std::string& name, const std::string& bytes)
    : path_(std::filesystem::temp_directory_path() /
            ("epochcast-" + std::to_string(getpid()) + "-" + name)) {
  std::ofstream(path_, std::ios::binary) << bytes;
}

TestFile::~TestFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::string gzipped(const std::string& bytes) {
  const TestFile packed("packed.gz", "");
  gzFile file = gzopen(packed.path().c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  std::ostringstream text;
  text << std::ifstream(packed.path(), std::ios::binary).rdbuf();
  return text.str();
}

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(EPOCHCAST_SOURCE_DIR) / "tests/analysis/data" / name;
}

}  // namespace epochcast::tests
