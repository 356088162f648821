// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/curves/tensorboard_events.hpp"

#include <boost/crc.hpp>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "events.pb.h"

namespace epochcast {
namespace {

// A record: 8 bytes of length, its checksum, the bytes, their checksum (TensorFlow's TFRecord).
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kHeadBytes = kLengthBytes + kChecksumBytes;

/// CRC32C, rotated and offset, as in TFRecord files.
std::uint32_t masked_crc(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t value = crc.checksum();
  return ((value >> 15) | (value << 17)) + 0xa282ead8U;
}

/// Little-endian, as are the machines that we run on.
template <typename Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

bool has_length_at(std::string_view bytes, std::size_t at) {
  return at + kHeadBytes <= bytes.size() && masked_crc(bytes.substr(at, kLengthBytes)) ==
                                                number_at<std::uint32_t>(bytes, at + kLengthBytes);
}

/// The scalar of a value; none if it is something else, such as an image.
std::optional<double> scalar_of(const events::Summary::Value& value) {
  constexpr int kFloat = 1;
  constexpr int kDouble = 2;
  if (value.value_case() == events::Summary::Value::kSimpleValue) return value.simple_value();
  if (value.value_case() != events::Summary::Value::kTensor) return std::nullopt;
  const events::Tensor& tensor = value.tensor();
  const std::string& content = tensor.tensor_content();
  if (tensor.dtype() == kFloat && content.size() == sizeof(float))
    return number_at<float>(content, 0);
  if (tensor.dtype() == kDouble && content.size() == sizeof(double))
    return number_at<double>(content, 0);
  if (tensor.float_val_size() == 1) return tensor.float_val(0);
  if (tensor.double_val_size() == 1) return tensor.double_val(0);
  return std::nullopt;
}

}  // namespace

bool is_event_file(std::string_view bytes) { return has_length_at(bytes, 0); }

std::vector<LogRecord> read_event_file(std::string_view bytes, const std::string& file) {
  std::vector<LogRecord> records;
  const auto damaged = [&](std::size_t at) {
    return UserError(file + ": the record at byte " + std::to_string(at) +
                     " is damaged; copy the file again");
  };
  for (std::size_t at = 0; at + kHeadBytes <= bytes.size();) {
    if (!has_length_at(bytes, at)) throw damaged(at);
    const auto length = number_at<std::uint64_t>(bytes, at);
    const std::size_t begin = at + kHeadBytes;
    if (length > bytes.size() - begin || bytes.size() - begin - length < kChecksumBytes) break;
    const std::string_view content = bytes.substr(begin, length);
    events::Event event;
    if (masked_crc(content) != number_at<std::uint32_t>(bytes, begin + length) ||
        !event.ParseFromArray(content.data(), static_cast<int>(content.size())))
      throw damaged(at);
    for (const events::Summary::Value& value : event.summary().value()) {
      if (const auto scalar = scalar_of(value))
        records.push_back({{"step", static_cast<double>(event.step())}, {value.tag(), *scalar}});
    }
    at = begin + length + kChecksumBytes;
  }
  return records;
}

}  // namespace epochcast
