// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/packed_text.hpp"

#include <fcntl.h>

#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

/// Profiles shrink to between 1/10 and 1/30. The limit of gzip is about 1/1000.
constexpr std::uintmax_t kMostRatio = 200;
/// The ratio of short texts is not limited.
constexpr std::uintmax_t kFreeBytes = std::uintmax_t{64} << 20;

std::string text_of(std::uintmax_t bytes) { return format_bytes(static_cast<double>(bytes)); }

}  // namespace

PackedText::PackedText(std::filesystem::path file, const FileKind& kind)
    : file_(std::move(file)), kind_(kind), packed_(nullptr, &gzclose) {
  const FileDescriptor input = open_input(file_, kind_);
  packed_bytes_ = std::filesystem::file_size(file_);
  // Files without gzip are read as they are.
  const int own = fcntl(input.number(), F_DUPFD_CLOEXEC, 0);
  packed_.reset(gzdopen(own, "rb"));
  if (!packed_) throw std::bad_alloc();
  if (traits_type::eq_int_type(underflow(), traits_type::eof())) fail("is empty");
}

void PackedText::fail(const std::string& what) const {
  throw UserError(file_.string() + ": " + what);
}

PackedText::int_type PackedText::underflow() {
  const int size = gzread(packed_.get(), piece_.data(), static_cast<unsigned>(piece_.size()));
  if (size <= 0) {
    int status = Z_OK;
    static_cast<void>(gzerror(packed_.get(), &status));
    if (status != Z_OK)
      fail(std::string("its gzip data is ") + (status == Z_BUF_ERROR ? "cut off" : "damaged"));
    if (gzdirect(packed_.get()) == 0 && !ends_with_gzip())
      fail("has other data after its gzip data");
    return traits_type::eof();
  }
  bytes_ += static_cast<std::uintmax_t>(size);
  if (bytes_ > kind_.most_bytes) {
    fail("is longer than " + text_of(kind_.most_bytes) +
         "; profile fewer iterations (torch.profiler.schedule)");
  }
  if (bytes_ > kFreeBytes && bytes_ / kMostRatio > packed_bytes_) {
    fail("unpacks to more than " + std::to_string(kMostRatio) + " times its " +
         text_of(packed_bytes_) + "; expected a profile, which repeats itself less");
  }
  setg(piece_.data(), piece_.data(), piece_.data() + size);
  return traits_type::to_int_type(piece_.front());
}

bool PackedText::ends_with_gzip() const {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, &inflateEnd);
  std::ifstream input(file_, std::ios::binary);
  std::vector<char> packed(1 << 16);
  std::vector<Bytef> unpacked(1 << 18);
  bool is_at_end = false;  // of a gzip stream; another one may follow
  while (input.read(packed.data(), static_cast<std::streamsize>(packed.size())),
         input.gcount() > 0) {
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(input.gcount());
    int status = Z_OK;
    do {
      if (is_at_end && stream.avail_in > 0) {
        inflateReset(&stream);
        is_at_end = false;
      }
      stream.next_out = unpacked.data();
      stream.avail_out = static_cast<uInt>(unpacked.size());
      status = inflate(&stream, Z_NO_FLUSH);
      is_at_end = is_at_end || status == Z_STREAM_END;
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return false;
    } while (stream.avail_in > 0 || stream.avail_out == 0);
  }
  return is_at_end;
}

char PackedText::first_character() {
  const std::string blanks = " \t\r\n";
  for (int_type next = sgetc(); !traits_type::eq_int_type(next, traits_type::eof());
       next = snextc()) {
    const char c = traits_type::to_char_type(next);
    if (blanks.find(c) == blanks.npos) return c;
  }
  return 0;
}

std::string PackedText::rest(std::uintmax_t most_bytes) {
  std::string text;
  while (!traits_type::eq_int_type(sgetc(), traits_type::eof())) {
    text.append(gptr(), egptr());
    setg(eback(), egptr(), egptr());
    if (text.size() > most_bytes) fail("is longer than " + text_of(most_bytes) + " of a table");
  }
  return text;
}

}  // namespace epochcast
