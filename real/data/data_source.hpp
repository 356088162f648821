// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/formats/network.hpp"

namespace epochcast::real {

/// The values of black and white in a channel of the samples.
struct PixelLevels {
  float black = 0;
  float white = 1;
};

/// Samples with labels, by index. Calls from several threads at once are safe.
class DataSource {
 public:
  virtual ~DataSource() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Of a sample: {channels, rows, columns} of an image, {tokens} of a text.
  [[nodiscard]] virtual const std::vector<std::int64_t>& shape() const = 0;
  /// As Dataset::classes.
  [[nodiscard]] virtual std::int64_t classes() const = 0;
  /// Whether samples are numbers of a vocabulary's words.
  [[nodiscard]] virtual bool are_tokens() const { return shape().size() == 1; }
  [[nodiscard]] virtual Targets targets() const { return {}; }
  /// Writes sample `index` to `sample` (row-major; pixels normalised to mean 0 and variance 1 over
  /// the data set, tokens as their numbers) and returns its label in [0, classes).
  ///
  /// `variant` seeds the random crop and flip of training; without one the sample is as stored.
  /// Throws a RunError that names the file when the sample cannot be read.
  virtual std::int64_t load(std::int64_t index,
                            std::optional<std::uint64_t> variant,
                            std::span<float> sample) const = 0;
  /// Writes the targets of sample `index`, row-major, if they are more than the label that load()
  /// returns: values, or tokens as their numbers. Throws as load() does.
  virtual void load_targets(std::int64_t /*index*/, std::span<float> /*targets*/) const {}
  /// Whether load() is slow (decodes files), so that it is called ahead in threads.
  [[nodiscard]] virtual bool is_slow() const { return false; }
  /// Of an image's channels; empty for texts.
  [[nodiscard]] virtual std::vector<PixelLevels> pixel_levels() const { return {}; }
};

/// The training data and the test data of a job.
struct DataSplit {
  std::unique_ptr<DataSource> train;
  std::unique_ptr<DataSource> test;
  std::string title;  ///< "CIFAR-10 in /data/cifar-10-batches-bin", for the result's provenance
};

/// The data set `dataset` in `folder`; its format is recognised by the files that are there (IDX,
/// CIFAR binary, one folder per class, AG News CSV, tensors, rows of tokens). Throws a UserError
/// that names the file, the problem and what was expected: unreadable, truncated, wrong number of
/// classes, wrong shape, ...
[[nodiscard]] DataSplit open_data(const Dataset& dataset, const std::filesystem::path& folder);

/// Samples of the data set's shape, sizes and classes, computed from `seed`: learnable, but not
/// trivial, and the same on every machine. See procedural.hpp.
[[nodiscard]] DataSplit procedural_data(const Dataset& dataset, std::uint64_t seed);

}  // namespace epochcast::real
