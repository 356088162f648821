// SPDX-License-Identifier: Apache-2.0
#include "core/text_file.hpp"

#include <fstream>
#include <sstream>

#include "core/error.hpp"

namespace epochcast {

std::string read_text_file(const std::filesystem::path& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status)) {
    throw UserError(file.string() + ": is a folder; expected a JSON file");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError(file.string() + ": cannot be opened for reading");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace epochcast
