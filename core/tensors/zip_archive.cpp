// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/zip_archive.hpp"

#include <zlib.h>

namespace epochcast {
namespace {

constexpr std::string_view kEntry = "PK\x01\x02";
constexpr std::string_view kContent = "PK\x03\x04";
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kZip64End = "PK\x06\x06";
constexpr std::string_view kZip64Locator = "PK\x06\x07";
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kZip64LocatorBytes = 20;
constexpr std::uint64_t kEntryBytes = 46;
constexpr std::uint64_t kContentBytes = 30;
constexpr std::uint64_t kInZip64 = 0xffffffff;  ///< marks a number that did not fit

[[noreturn]] void fail_directory() { throw ZipError("its archive has no directory of records"); }

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes) : bytes_(bytes) {
  std::uint64_t at = directory();
  while (part(at, kEntry.size()) == kEntry) {
    Entry entry = {.method = number(at + 10, 2),
                   .crc32 = number(at + 16, 4),
                   .packed_bytes = number(at + 20, 4),
                   .bytes = number(at + 24, 4),
                   .offset = number(at + 42, 4)};
    const std::uint64_t name_bytes = number(at + 28, 2);
    const std::uint64_t extra_bytes = number(at + 30, 2);
    const std::string_view path = part(at + kEntryBytes, name_bytes);
    read_zip64(entry, at + kEntryBytes + name_bytes, extra_bytes);
    entries_[std::string(path.substr(path.find('/') + 1))] = entry;
    at += kEntryBytes + name_bytes + extra_bytes + number(at + 32, 2);
  }
}

std::string_view ZipArchive::part(std::uint64_t at, std::uint64_t count) const {
  if (at > bytes_.size() || count > bytes_.size() - at) fail_directory();
  return bytes_.substr(at, count);
}

std::uint64_t ZipArchive::number(std::uint64_t at, std::uint64_t count) const {
  std::uint64_t number = 0;
  std::size_t shift = 0;
  for (const char byte : part(at, count)) {
    number |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }
  return number;
}

std::uint64_t ZipArchive::directory() const {
  const std::size_t end = bytes_.rfind(kEnd);
  if (end == std::string_view::npos) fail_directory();
  static_cast<void>(part(end, kEndBytes));
  const std::uint64_t at = number(end + 16, 4);
  if (at != kInZip64 || end < kZip64LocatorBytes) return at;
  const std::uint64_t locator = end - kZip64LocatorBytes;
  if (part(locator, kZip64Locator.size()) != kZip64Locator) return at;
  const std::uint64_t zip64_end = number(locator + 8, 8);
  if (part(zip64_end, kZip64End.size()) != kZip64End) fail_directory();
  return number(zip64_end + 48, 8);
}

void ZipArchive::read_zip64(Entry& entry, std::uint64_t at, std::uint64_t count) const {
  constexpr std::uint64_t kZip64 = 1;
  const std::uint64_t end = at + count;
  while (at + 4 <= end) {
    const std::uint64_t next = at + 4 + number(at + 2, 2);
    if (number(at, 2) == kZip64) {
      at += 4;
      for (std::uint64_t* each : {&entry.bytes, &entry.packed_bytes, &entry.offset}) {
        if (*each != kInZip64 || at + 8 > next) continue;
        *each = number(at, 8);
        at += 8;
      }
    }
    at = next;
  }
}

std::string_view ZipArchive::unchecked_record(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw ZipError("its archive lacks " + name);
  const Entry& entry = found->second;
  if (entry.method != 0 || entry.packed_bytes != entry.bytes)
    throw ZipError(name + " of its archive is compressed");
  if (part(entry.offset, kContent.size()) != kContent)
    throw ZipError(name + " of its archive is not where its directory says");
  const std::uint64_t begin =
      entry.offset + kContentBytes + number(entry.offset + 26, 2) + number(entry.offset + 28, 2);
  return part(begin, entry.bytes);
}

bool ZipArchive::has_below(const std::string& folder) const {
  const auto first = entries_.lower_bound(folder + '/');
  return first != entries_.end() && first->first.starts_with(folder + '/');
}

std::string_view ZipArchive::record(const std::string& name) const {
  const std::string_view content = unchecked_record(name);
  const auto* data = reinterpret_cast<const Bytef*>(content.data());
  if (crc32_z(0, data, content.size()) != entries_.at(name).crc32)
    throw ZipError(name + " of its archive has a wrong checksum");
  return content;
}

}  // namespace epochcast
