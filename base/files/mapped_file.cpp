// SPDX-License-Identifier: Apache-2.0
#include "base/files/mapped_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"

namespace epochcast {

MappedFile::MappedFile(const std::filesystem::path& file, const FileKind& kind) {
  const FileDescriptor input = open_input(file, kind);
  const auto fail = [&] {
    throw UserError(file.string() + ": cannot be read: " + std::generic_category().message(errno));
  };
  struct stat status = {};
  if (fstat(input.number(), &status) != 0) fail();
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;  // an empty file cannot be mapped
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, input.number(), 0);
  if (mapped == MAP_FAILED) fail();
  bytes_ = {static_cast<const char*>(mapped), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace epochcast
