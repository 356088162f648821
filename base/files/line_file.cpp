// SPDX-License-Identifier: Apache-2.0
#include "base/files/line_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <ostream>

#include "base/error.hpp"

namespace epochcast {

LineFile::LineFile(OutputFile file, Start start) : file_(std::move(file)) {
  if (start == Start::empty || !std::filesystem::exists(file_.name())) file_.write("");
  descriptor_ = file_.open_at_end();
}

void LineFile::add(std::string_view line) const {
  const off_t end = lseek(descriptor_.number(), 0, SEEK_END);  // -1: a pipe or terminal
  try {
    write_content(
        descriptor_.number(), [&](std::ostream& out) { out << line << '\n'; }, file_.name());
  } catch (const RunError&) {
    if (end >= 0) static_cast<void>(ftruncate(descriptor_.number(), end) == 0);
    throw;
  }
}

}  // namespace epochcast
