// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/npy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text/plain_text.hpp"
#include "core/formats/network.hpp"

namespace epochcast {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 16;
constexpr std::size_t kMostNpyDimensions = 32;  // NumPy's own limit until 2.0

/// The advice in messages about arrays of other types.
constexpr const char* kAdvice =
    "; expected numbers: bool, int8 to int64, uint8 to uint32, float16 to float64 (save "
    "array.astype(\"float32\"))";

/// The end of NumPy's names of types, after the sign of the order of bytes.
constexpr std::array<std::pair<std::string_view, ElementType>, 11> kNpyTypes = {
    {{"b1", ElementType::boolean},
     {"u1", ElementType::uint8},
     {"i1", ElementType::int8},
     {"u2", ElementType::uint16},
     {"i2", ElementType::int16},
     {"u4", ElementType::uint32},
     {"i4", ElementType::int32},
     {"i8", ElementType::int64},
     {"f2", ElementType::float16},
     {"f4", ElementType::float32},
     {"f8", ElementType::float64}}};

[[noreturn]] void fail_header() {
  throw NpyError("has a header that is none of NumPy's; it is damaged: save it again");
}

ElementType type_of(std::string_view description) {
  const std::string shown = "holds \"" + std::string(description) + "\"";
  if (description.size() < 2) fail_header();
  const char order = description[0];
  const std::string_view type = description.substr(1);
  if (type.starts_with('O')) {
    throw NpyError(
        "holds Python objects, which are pickles: those may run anything, and are not read; "
        "expected numbers (save array.astype(\"float32\"), or a list of arrays one by one)");
  }
  const auto* const known = std::find_if(
      kNpyTypes.begin(), kNpyTypes.end(), [&](const auto& each) { return each.first == type; });
  if (known == kNpyTypes.end()) throw NpyError(shown + kAdvice);
  const bool is_single_byte = bytes_of(known->second) == 1;
  if (order == '>' && !is_single_byte) {
    throw NpyError(shown + ", big-endian numbers; save array.astype(\"<" + std::string(type) +
                   "\")");
  }
  if (order != '<' && !(order == '|' && is_single_byte) && order != '=' && order != '>')
    throw NpyError(shown + kAdvice);
  return known->second;
}

/// Reads the literal of a Python dictionary that a header is.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  NpyHeader header() {
    std::optional<ElementType> type;
    std::optional<bool> is_fortran;
    std::optional<std::vector<std::int64_t>> shape;
    expect('{');
    while (!has('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !type) {
        if (peek() == '[')
          throw NpyError(
              "holds records of several fields; expected numbers: save the fields "
              "one by one, as array[\"FIELD\"]");
        type = type_of(string());
      } else if (key == "fortran_order" && !is_fortran) {
        is_fortran = truth();
      } else if (key == "shape" && !shape) {
        shape = sizes();
      } else {
        fail_header();
      }
      if (!has(',') && peek() != '}') fail_header();
    }
    if (peek() != '\0' || !type || !is_fortran || !shape) fail_header();
    // Both orders are the same for vectors; NumPy sets the flag for them.
    if (*is_fortran && shape->size() > 1) {
      throw NpyError(
          "is stored column by column (Fortran order); save np.ascontiguousarray(array)");
    }
    return {.type = *type, .shape = std::move(*shape)};
  }

 private:
  /// The next character that is no space; 0 at the end.
  char peek() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_[0];
  }
  /// Whether `wanted` is the next character; consumes it if so.
  bool has(char wanted) {
    if (peek() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!has(wanted)) fail_header();
  }
  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_header();
    const std::size_t end = text_.find(quote, 1);
    if (end == text_.npos) fail_header();
    const std::string_view content = text_.substr(1, end - 1);
    if (!is_plain_text(content)) fail_header();
    text_.remove_prefix(end + 1);
    return content;
  }
  bool truth() {
    static_cast<void>(peek());
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    fail_header();
  }
  std::vector<std::int64_t> sizes() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!has(')')) {
      static_cast<void>(peek());
      std::int64_t size = 0;
      const auto read = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (read.ec != std::errc() || size < 0 || sizes.size() == kMostNpyDimensions) fail_header();
      text_.remove_prefix(static_cast<std::size_t>(read.ptr - text_.data()));
      static_cast<void>(has('L'));  // Python 2 wrote long integers so
      sizes.push_back(size);
      if (!has(',') && peek() != ')') fail_header();
    }
    return sizes;
  }

  std::string_view text_;
};

std::string size_text(const NpyHeader& header) {
  return (header.shape.empty() ? "a single number" : shape_text(header.shape)) + " of " +
         std::string(to_string(header.type));
}

}  // namespace

NpyHeader read_npy_header(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    const bool is_archive = bytes.starts_with("PK");
    throw NpyError(is_archive ? "is an archive of arrays (np.savez); save each by np.save"
                              : "is no file of NumPy's; expected one of np.save(FILE, array)");
  }
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kLengthAt = 8;
  if (bytes.size() < kLengthAt + 4) fail_header();
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  const std::size_t version = byte(kVersionAt);
  if (version < 1 || version > 3) {
    throw NpyError("is of NumPy's format " + std::to_string(version) + "." +
                   std::to_string(byte(kVersionAt + 1)) + "; expected 1.0 to 3.0");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | byte(kLengthAt + i);
  const std::size_t begin = kLengthAt + length_bytes;
  if (length > kMostHeaderBytes || length > bytes.size() - begin) fail_header();
  NpyHeader header = Literal(bytes.substr(begin, length)).header();
  header.bytes = begin + length;
  return header;
}

Tensor open_npy(const std::filesystem::path& file) {
  const auto mapped = std::make_shared<const MappedFile>(file);
  try {
    NpyHeader header = read_npy_header(mapped->bytes());
    const std::string_view numbers = mapped->bytes().substr(header.bytes);
    const auto elements = static_cast<std::size_t>(Tensor::elements_of(header.shape));
    // Compared by division: no product of a header's sizes can overflow.
    const std::size_t each = bytes_of(header.type);
    if (numbers.size() % each != 0 || numbers.size() / each != elements) {
      throw NpyError("has " + std::to_string(numbers.size()) + " bytes of numbers; expected " +
                     size_text(header) + ": it is damaged, or was not written to its end");
    }
    return {header.type, std::move(header.shape), numbers, mapped};
  } catch (const NpyError& error) {
    throw UserError(file.string() + ": " + error.what());
  }
}

}  // namespace epochcast
