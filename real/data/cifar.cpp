// SPDX-License-Identifier: Apache-2.0
#include "real/data/cifar.hpp"

#include <string>

#include "base/error.hpp"
#include "real/data/byte_images.hpp"
#include "real/data/file_bytes.hpp"
#include "real/data/resized_images.hpp"

namespace epochcast::real {
namespace {

const std::vector<std::int64_t> kStoredShape = {3, 32, 32};
constexpr std::size_t kImageBytes = std::size_t{3} * 32 * 32;

struct Layout {
  std::string title;
  std::size_t label_bytes;  ///< before each image; the last one is the class
  std::vector<std::string> train_files;
  std::vector<std::string> test_files;
};

const Layout& cifar10_layout() {
  static const Layout layout = {.title = "CIFAR-10",
                                .label_bytes = 1,
                                .train_files = {"data_batch_1.bin",
                                                "data_batch_2.bin",
                                                "data_batch_3.bin",
                                                "data_batch_4.bin",
                                                "data_batch_5.bin"},
                                .test_files = {"test_batch.bin"}};
  return layout;
}

const Layout& cifar100_layout() {
  static const Layout layout = {.title = "CIFAR-100",
                                .label_bytes = 2,
                                .train_files = {"train.bin"},
                                .test_files = {"test.bin"}};
  return layout;
}

/// Appends the file's `samples` to `images`.
void read_file(const std::filesystem::path& file,
               const Dataset& dataset,
               std::int64_t samples,
               std::size_t label_bytes,
               ByteImageSet& images) {
  const std::vector<std::uint8_t> bytes = read_bytes<UserError>(file);
  const std::size_t record_bytes = label_bytes + kImageBytes;
  const std::size_t expected_bytes = static_cast<std::size_t>(samples) * record_bytes;
  if (bytes.size() != expected_bytes) {
    throw UserError(file.string() + ": got " + std::to_string(bytes.size()) + " bytes; expected " +
                    std::to_string(expected_bytes) + ", for " + std::to_string(samples) +
                    " samples of " + std::to_string(record_bytes) + " bytes");
  }
  for (std::size_t start = 0; start < bytes.size(); start += record_bytes) {
    const std::uint8_t label = bytes[start + label_bytes - 1];
    if (label >= dataset.classes) {
      throw UserError(file.string() + ": sample " + std::to_string(start / record_bytes) +
                      ": got label " + std::to_string(label) + "; expected 0 to " +
                      std::to_string(dataset.classes - 1));
    }
    const auto image = bytes.begin() + static_cast<std::ptrdiff_t>(start + label_bytes);
    images.labels.push_back(label);
    images.pixels.insert(images.pixels.end(), image, image + kImageBytes);
  }
}

/// The files' samples in order; `samples` are spread evenly over the files.
ByteImageSet read_half(const Dataset& dataset,
                       const std::filesystem::path& folder,
                       const std::vector<std::string>& files,
                       std::int64_t samples,
                       std::size_t label_bytes) {
  const auto number = static_cast<std::int64_t>(files.size());
  ByteImageSet images;
  images.labels.reserve(static_cast<std::size_t>(samples));
  images.pixels.reserve(static_cast<std::size_t>(samples) * kImageBytes);
  std::vector<std::string> problems;
  for (std::int64_t i = 0; i < number; ++i) {
    const std::int64_t in_file = samples * (i + 1) / number - samples * i / number;
    try {
      read_file(folder / files[static_cast<std::size_t>(i)], dataset, in_file, label_bytes, images);
    } catch (const UserError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw UserError(std::move(problems));
  return images;
}

DataSplit open_cifar(const Dataset& dataset,
                     const std::filesystem::path& folder,
                     const Layout& layout) {
  if (dataset.shape.size() != 3 || dataset.shape.front() != kStoredShape.front()) {
    throw UserError(folder.string() + ": got the files of " + layout.title +
                    ", whose samples are 3x32x32; expected a data set of such images or of resized "
                    "ones (3 x rows x columns); " +
                    dataset.name + " has samples of " + shape_text(dataset.shape));
  }
  const auto half = [&](const std::vector<std::string>& files, std::int64_t samples) {
    return read_half(dataset, folder, files, samples, layout.label_bytes);
  };
  ByteImageSet train = half(layout.train_files, dataset.train_samples);
  ByteImageSet test = half(layout.test_files, dataset.test_samples);
  Dataset stored = dataset;
  stored.shape = kStoredShape;
  DataSplit split =
      split_of_bytes(stored, std::move(train), std::move(test), Augmentation::crop_flip, folder);
  if (dataset.shape != kStoredShape) {
    for (std::unique_ptr<DataSource>* source : {&split.train, &split.test})
      *source = std::make_unique<ResizedImages>(std::move(*source), dataset.shape);
  }
  return split;
}

}  // namespace

DataSplit open_cifar10(const Dataset& dataset, const std::filesystem::path& folder) {
  return open_cifar(dataset, folder, cifar10_layout());
}

DataSplit open_cifar100(const Dataset& dataset, const std::filesystem::path& folder) {
  return open_cifar(dataset, folder, cifar100_layout());
}

}  // namespace epochcast::real
