// SPDX-License-Identifier: Apache-2.0
#include "real/data/idx.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "real/data/byte_images.hpp"
#include "real/data/file_bytes.hpp"

namespace epochcast::real {
namespace {

constexpr std::size_t kWordBytes = 4;

std::uint32_t big_endian_word(const std::vector<std::uint8_t>& bytes, std::size_t word) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kWordBytes; ++i) value = value << 8 | bytes[word * kWordBytes + i];
  return value;
}

std::string hexadecimal(std::uint32_t value) { return fmt::format("{:#010x}", value); }

/// The file's elements, after a header of exactly these sizes: {samples, rows, columns} or
/// {samples}.
std::vector<std::uint8_t> read_idx(const std::filesystem::path& file,
                                   const std::vector<std::int64_t>& sizes) {
  std::vector<std::uint8_t> bytes = read_bytes<UserError>(file);
  const std::string name = file.string();
  const std::size_t header_bytes = kWordBytes * (1 + sizes.size());
  if (bytes.size() < header_bytes) {
    throw UserError(name + ": got " + std::to_string(bytes.size()) + " bytes; expected " +
                    std::to_string(header_bytes) + " bytes of header");
  }
  // 8: unsigned bytes; then the number of dimensions.
  const auto magic = static_cast<std::uint32_t>(0x800 + sizes.size());
  if (big_endian_word(bytes, 0) != magic) {
    throw UserError(name + ": got magic number " + hexadecimal(big_endian_word(bytes, 0)) +
                    "; expected " + hexadecimal(magic) +
                    (bytes[0] == 0x1f && bytes[1] == 0x8b ? " (the file is compressed)" : ""));
  }
  std::vector<std::int64_t> got_sizes;
  for (std::size_t i = 1; i <= sizes.size(); ++i) {
    got_sizes.push_back(big_endian_word(bytes, i));
  }
  if (got_sizes != sizes) {
    throw UserError(name + ": got " + shape_text(got_sizes) + " bytes; expected " +
                    shape_text(sizes) + " (samples" +
                    (sizes.size() == 1 ? ")" : ", rows, columns)"));
  }
  std::size_t expected_bytes = header_bytes;
  for (std::size_t elements = 1; const std::int64_t size : sizes) {
    elements *= static_cast<std::size_t>(size);
    expected_bytes = header_bytes + elements;
  }
  if (bytes.size() != expected_bytes) {
    throw UserError(name + ": got " + std::to_string(bytes.size()) + " bytes; expected " +
                    std::to_string(expected_bytes) + ", for " + shape_text(sizes));
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes));
  return bytes;
}

ByteImageSet read_half(const Dataset& dataset,
                       const std::filesystem::path& folder,
                       const std::string& prefix,
                       std::int64_t samples) {
  ByteImageSet half;
  half.pixels = read_idx(folder / (prefix + "-images-idx3-ubyte"),
                         {samples, dataset.shape[1], dataset.shape[2]});
  const std::filesystem::path label_file = folder / (prefix + "-labels-idx1-ubyte");
  half.labels = read_idx(label_file, {samples});
  const auto wrong = std::find_if(half.labels.begin(), half.labels.end(), [&](std::uint8_t label) {
    return label >= dataset.classes;
  });
  if (wrong != half.labels.end()) {
    throw UserError(label_file.string() + ": sample " +
                    std::to_string(wrong - half.labels.begin()) + ": got label " +
                    std::to_string(*wrong) + "; expected 0 to " +
                    std::to_string(dataset.classes - 1));
  }
  return half;
}

}  // namespace

DataSplit open_idx(const Dataset& dataset, const std::filesystem::path& folder) {
  if (dataset.shape.size() != 3 || dataset.shape[0] != 1) {
    throw UserError(folder.string() + ": got IDX files, which hold images of one channel; " +
                    dataset.name + " has samples of " + shape_text(dataset.shape));
  }
  ByteImageSet train = read_half(dataset, folder, "train", dataset.train_samples);
  ByteImageSet test = read_half(dataset, folder, "t10k", dataset.test_samples);
  return split_of_bytes(dataset, std::move(train), std::move(test), Augmentation::none, folder);
}

}  // namespace epochcast::real
