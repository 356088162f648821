// SPDX-License-Identifier: Apache-2.0
#include "base/text/printable_stream.hpp"

#include <algorithm>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/text/plain_text.hpp"

namespace epochcast {
namespace {

constexpr std::string_view kWipe = "\x1b[K";

/// Length of the escape sequence at the beginning of `text` that may pass; 0: there is none.
std::size_t passing(std::string_view text, Repaint repaint) {
  if (text.front() == '\n' || text.front() == '\t') return 1;
  if (repaint == Repaint::none) return 0;
  if (text.front() == '\r') return 1;
  return text.starts_with(kWipe) ? kWipe.size() : 0;
}

/// The number of bytes at the end that can only be judged with the bytes after them.
std::size_t undecided(std::string_view text, Repaint repaint) {
  for (std::size_t bytes = kWipe.size() - 1; repaint == Repaint::line && bytes > 0; --bytes) {
    if (text.ends_with(kWipe.substr(0, bytes))) return bytes;
  }
  return incomplete_bytes(text);
}

}  // namespace

/// Buffers output, and passes it on when the stream is flushed or the buffer is full.
class PrintableStream::Filter : public std::streambuf {
 public:
  Filter(std::streambuf& out, Repaint repaint) : out_(out), repaint_(repaint) {}

  /// Passes on everything except the last `kept` bytes. Returns whether all could be written.
  bool hand_on(std::size_t kept) {
    std::string_view text(held_);
    text.remove_suffix(kept);
    std::string shown;
    while (!text.empty()) {
      std::size_t bytes = passing(text, repaint_);
      if (bytes > 0) {
        shown += text.substr(0, bytes);
      } else {
        do {
          ++bytes;
        } while (bytes < text.size() && passing(text.substr(bytes), repaint_) == 0);
        shown += printable(text.substr(0, bytes));
      }
      text.remove_prefix(bytes);
    }
    held_.erase(0, held_.size() - kept);
    const auto size = static_cast<std::streamsize>(shown.size());
    return out_.sputn(shown.data(), size) == size;
  }

  /// Passes on text unchanged, after the text passed before.
  bool pass(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return out_.sputn(text.data(), size) == size;
  }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    held_ += traits_type::to_char_type(c);
    return is_taken() ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    held_.append(text, static_cast<std::size_t>(size));
    return is_taken() ? size : 0;
  }
  int sync() override {
    const bool is_written = hand_on(undecided(held_, repaint_));
    return out_.pubsync() == 0 && is_written ? 0 : -1;
  }

 private:
  bool is_taken() {
    constexpr std::size_t kMost = 1 << 16;
    return held_.size() < kMost || hand_on(undecided(held_, repaint_));
  }

  std::streambuf& out_;
  Repaint repaint_;
  std::string held_;
};

PrintableStream::PrintableStream(std::ostream& stream, Repaint repaint)
    : stream_(stream),
      filter_(std::make_unique<Filter>(*stream.rdbuf(), repaint)),
      own_(stream.rdbuf()) {
  const auto state = stream_.rdstate();
  stream_.rdbuf(filter_.get());
  stream_.clear(state);
}

PrintableStream::~PrintableStream() {
  if (!filter_->hand_on(0) || own_->pubsync() != 0) stream_.setstate(std::ios::badbit);
  const auto state = stream_.rdstate();
  stream_.rdbuf(own_);
  stream_.clear(state);
}

void write_unfiltered(std::ostream& out, std::string_view text) {
  if (auto* filter = dynamic_cast<PrintableStream::Filter*>(out.rdbuf())) {
    if (!filter->hand_on(0) || !filter->pass(text)) out.setstate(std::ios::badbit);
  } else {
    out << text;
  }
}

}  // namespace epochcast
