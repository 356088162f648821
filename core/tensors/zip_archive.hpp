// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace epochcast {

/// Reports bytes that are no zip archive, or a damaged record.
class ZipError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A zip archive whose records are stored uncompressed, as torch.save() writes it: PKWARE's
/// APPNOTE.TXT 6.3.9, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3 (zip64). LibTorch's own reader
/// (1.13) leaves the records' checksums unchecked.
class ZipArchive {
 public:
  /// `bytes` must outlive it. Throws a ZipError when they have no directory of records.
  explicit ZipArchive(std::string_view bytes);

  /// Names are those below the folder that all records of PyTorch's are in.
  [[nodiscard]] bool has(const std::string& name) const { return entries_.count(name) > 0; }
  /// Whether there are records in the folder of this name, or in folders of it.
  [[nodiscard]] bool has_below(const std::string& folder) const;
  /// The content, part of `bytes`. Throws a ZipError when it is missing or damaged.
  [[nodiscard]] std::string_view record(const std::string& name) const;
  /// The same without comparing its checksum.
  [[nodiscard]] std::string_view unchecked_record(const std::string& name) const;

 private:
  struct Entry {
    std::uint64_t method = 0;  ///< 0: stored as it is
    std::uint64_t crc32 = 0;
    std::uint64_t packed_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< of the header before the content
  };

  [[nodiscard]] std::string_view part(std::uint64_t at, std::uint64_t count) const;
  [[nodiscard]] std::uint64_t number(std::uint64_t at, std::uint64_t count) const;
  /// The position of the directory of records.
  [[nodiscard]] std::uint64_t directory() const;
  /// Reads the numbers that did not fit into an entry.
  void read_zip64(Entry& entry, std::uint64_t at, std::uint64_t count) const;

  std::string_view bytes_;
  std::map<std::string, Entry> entries_;
};

}  // namespace epochcast
