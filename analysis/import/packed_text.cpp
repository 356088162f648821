// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/packed_text.hpp"

#include <zlib.h>

#include <array>
#include <memory>

#include "core/error.hpp"
#include "core/units.hpp"

namespace epochcast {

std::string read_packed_text(const std::filesystem::path& file, std::size_t most_bytes) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown))
    throw UserError(file.string() + ": is a folder; expected a file");
  // Passes on what is not gzipped as it is.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> packed(gzopen(file.c_str(), "rb"), &gzclose);
  if (!packed) throw UserError(file.string() + ": cannot be opened for reading");
  std::string text;
  std::array<char, 1 << 16> piece{};
  int size = 0;
  while ((size = gzread(packed.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(size));
    if (text.size() > most_bytes) {
      throw UserError(file.string() + ": is longer than " +
                      format_bytes(static_cast<double>(most_bytes)) +
                      "; profile fewer iterations (torch.profiler.schedule)");
    }
  }
  int status = Z_OK;
  static_cast<void>(gzerror(packed.get(), &status));
  if (status != Z_OK) {
    throw UserError(file.string() + ": its gzip data is " +
                    (status == Z_BUF_ERROR ? "cut off" : "damaged"));
  }
  if (text.empty()) throw UserError(file.string() + ": is empty");
  return text;
}

}  // namespace epochcast
