// SPDX-License-Identifier: Apache-2.0
#include "real/data/procedural.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "real/data/crop_flip.hpp"
#include "real/data/tokens.hpp"
#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real::tests {
namespace {

using epochcast::tests::problems_of;

const std::vector<std::vector<std::int64_t>> kShapes = {
    {3, 32, 32}, {1, 28, 28}, {3, 8, 8}, {1, 8, 8}, {2, 9, 17}, {4, 24, 16}, {128}, {16}};

std::vector<Sample> samples_of(const DataSource& source, std::int64_t number) {
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < number; ++i) samples.push_back(sample_of(source, i));
  return samples;
}

TEST_CASE("a procedural data set has the sizes, shape and classes of the one it replaces") {
  for (const auto& shape : kShapes) {
    const DataSplit split = procedural_data(tiny_dataset(shape, 7, 500, 30), 1);

    CHECK(split.train->size() == 500);
    CHECK(split.test->size() == 30);
    CHECK(split.train->shape() == shape);
    CHECK(split.test->classes() == 7);
    CHECK_FALSE(split.train->is_slow());
    CHECK(split.title == "procedural samples like those of Tiny, seed 1");
  }
}

TEST_CASE("a procedural sample depends on seed, half and index only") {
  for (const auto& shape : kShapes) {
    const Dataset dataset = tiny_dataset(shape, 7, 500, 500);
    const DataSplit split = procedural_data(dataset, 1);
    const std::vector<Sample> train = samples_of(*split.train, 20);

    CHECK(samples_of(*procedural_data(dataset, 1).train, 20) == train);
    CHECK(sample_of(*split.train, 7) == train[7]);  // regardless of earlier loads
    CHECK(samples_of(*procedural_data(dataset, 2).train, 20) != train);
    CHECK(samples_of(*split.test, 20) != train);
    CHECK(train[0].values != train[1].values);
  }
}

TEST_CASE("the size of a procedural data set does not change its samples") {
  const DataSplit small = procedural_data(tiny_dataset({3, 32, 32}, 7, 50, 5), 1);
  const DataSplit large = procedural_data(tiny_dataset({3, 32, 32}, 7, 5000, 500), 1);

  CHECK(samples_of(*small.train, 20) == samples_of(*large.train, 20));
}

TEST_CASE("labels are in range, and each class occurs about equally often") {
  for (const auto& shape : kShapes) {
    constexpr int kClasses = 5;
    constexpr int kSamples = 1000;
    const DataSplit split = procedural_data(tiny_dataset(shape, kClasses, kSamples, kSamples), 1);

    std::map<std::int64_t, int> counts;
    for (const Sample& sample : samples_of(*split.train, kSamples)) ++counts[sample.label];

    REQUIRE(counts.size() == kClasses);
    for (const auto& [label, count] : counts) {
      CHECK((label >= 0 && label < kClasses));
      CHECK(std::abs(count - 200) < 60);  // binomial deviation 12.6
    }
  }
}

TEST_CASE("each channel of procedural images has mean 0 and variance 1") {
  for (const auto& shape : kShapes) {
    if (shape.size() != 3) continue;
    constexpr int kSamples = 1000;
    const DataSplit split = procedural_data(tiny_dataset(shape, 7, kSamples, 10), 3);
    const auto channels = static_cast<std::size_t>(shape[0]);
    std::vector<double> sums(channels, 0);
    std::vector<double> squares(channels, 0);

    double per_channel = 0;
    for (const Sample& sample : samples_of(*split.train, kSamples)) {
      const std::size_t plane = sample.values.size() / channels;
      per_channel += static_cast<double>(plane);
      for (std::size_t i = 0; i < sample.values.size(); ++i) {
        sums[i / plane] += sample.values[i];
        squares[i / plane] += static_cast<double>(sample.values[i]) * sample.values[i];
      }
    }

    // Samples are lighter or darker as a whole: of 1,000, the mean deviates by a few percent.
    for (std::size_t channel = 0; channel < channels; ++channel) {
      CHECK(std::abs(sums[channel] / per_channel) < 0.06);
      CHECK(squares[channel] / per_channel == Approx(1).margin(0.06));
    }
  }
}

TEST_CASE("a variant moves procedural colour images as it moves CIFAR's, into a border of 0") {
  constexpr int kEdgeOf = 16;
  const DataSplit split = procedural_data(tiny_dataset({3, kEdgeOf, kEdgeOf}, 7, 50, 5), 1);
  const Sample unmoved = sample_of(*split.train, 5);

  for (std::uint64_t variant = 0; variant < 20; ++variant) {
    const CropFlip move = draw_crop_flip(variant, 5);
    const Sample moved = sample_of(*split.train, 5, variant);

    Floats expected;
    for (int i = 0; i < 3 * kEdgeOf * kEdgeOf; ++i) {
      const std::int64_t row = i / kEdgeOf % kEdgeOf + move.row_shift;
      const std::int64_t shifted = i % kEdgeOf + move.column_shift;
      const std::int64_t column = move.is_flipped ? kEdgeOf - 1 - shifted : shifted;
      const bool is_inside = row >= 0 && row < kEdgeOf && column >= 0 && column < kEdgeOf;
      const std::int64_t from = (i / kEdgeOf / kEdgeOf * kEdgeOf + row) * kEdgeOf + column;
      expected.push_back(is_inside ? unmoved.values[static_cast<std::size_t>(from)] : 0);
    }
    CHECK(moved.values == expected);
    CHECK(moved.label == unmoved.label);
  }
}

TEST_CASE(
    "almost all pixels of a procedural image are between black and white; texts have neither") {
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{1, 28, 28}, {3, 32, 32}}) {
    const DataSplit split = procedural_data(tiny_dataset(shape, 10, 200, 5), 1);
    const std::vector<PixelLevels> levels = split.train->pixel_levels();
    REQUIRE(std::ssize(levels) == shape[0]);
    const auto plane = static_cast<std::size_t>(shape[1] * shape[2]);

    double beyond = 0;
    double pixels = 0;
    for (std::int64_t index = 0; index < 200; ++index) {
      const Floats values = sample_of(*split.train, index).values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto [black, white] = levels[i / plane];
        const float reach = white - black;  // digits have noise of a tenth of it
        const float margin = shape[0] == 1 ? 0.3F * reach : 0;
        beyond += values[i] < black - margin || values[i] > white + margin ? 1 : 0;
        ++pixels;
      }
    }
    CHECK(beyond / pixels < 0.03);
  }
  CHECK(procedural_data(tiny_dataset({64}, 4, 50, 5), 1).train->pixel_levels().empty());
}

TEST_CASE("a variant changes neither digits nor texts") {
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{1, 28, 28}, {64}}) {
    const DataSplit split = procedural_data(tiny_dataset(shape, 4, 50, 5), 1);

    CHECK(sample_of(*split.train, 5, 3) == sample_of(*split.train, 5));
  }
}

TEST_CASE("two threads generate the same samples as one") {
  for (const auto& shape : kShapes) {
    const DataSplit split = procedural_data(tiny_dataset(shape, 7, 100, 5), 1);
    const std::vector<Sample> expected = samples_of(*split.train, 100);

    std::vector<Sample> first;
    std::thread thread([&] { first = samples_of(*split.train, 100); });
    const std::vector<Sample> second = samples_of(*split.train, 100);
    thread.join();

    CHECK(first == expected);
    CHECK(second == expected);
  }
}

/// Marker pairs at most 3 words apart with the smaller marker first, less those with the larger.
int order_of(const Sample& sample) {
  const auto is_marker = [](float token) { return token >= 2 + 16384; };
  int order = 0;
  for (std::size_t i = 0; i < sample.values.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(i + 4, sample.values.size()); ++j) {
      const float first = sample.values[i];
      const float second = sample.values[j];
      if (is_marker(first) && is_marker(second) && first != second)
        order += first < second ? 1 : -1;
    }
  }
  return order;
}

TEST_CASE("two of a hundred training labels are drawn anew, no test labels") {
  constexpr int kSamples = 5000;
  const DataSplit split = procedural_data(tiny_dataset({128}, 2, kSamples, kSamples), 1);
  const auto wrong_share = [](const DataSource& source) {
    int agreeing = 0;
    for (const Sample& sample : samples_of(source, kSamples)) {
      agreeing += (order_of(sample) > 0) == (sample.label == 0) ? 1 : 0;
    }
    return std::min(agreeing, kSamples - agreeing) / static_cast<double>(kSamples);
  };

  // Of two classes, half of the labels drawn anew are right: 1 % wrong, deviation 0.14 %.
  CHECK(wrong_share(*split.test) < 0.002);
  CHECK(wrong_share(*split.train) == Approx(0.01).margin(0.005));
}

TEST_CASE("a procedural text is a start token, words, and padding to the end") {
  const DataSplit split = procedural_data(tiny_dataset({64}, 4, 300, 5), 1);
  std::set<std::size_t> lengths;

  for (const Sample& sample : samples_of(*split.train, 300)) {
    const auto padding = std::find(sample.values.begin(), sample.values.end(), float{kPadding});
    CHECK(sample.values[0] == kTextStart);
    CHECK(std::all_of(sample.values.begin() + 1, padding, [](float token) {
      return token >= kFirstWord && token < kVocabulary && token == std::floor(token);
    }));
    CHECK(std::all_of(padding, sample.values.end(), [](float token) { return token == kPadding; }));
    lengths.insert(static_cast<std::size_t>(padding - sample.values.begin()) - 1);
  }
  CHECK(*lengths.begin() == 32);
  CHECK(*lengths.rbegin() == 63);
}

TEST_CASE("frequent words of procedural texts follow Zipf's law") {
  const DataSplit split = procedural_data(tiny_dataset({128}, 4, 2000, 5), 1);
  std::map<float, double> counts;

  for (const Sample& sample : samples_of(*split.train, 2000)) {
    for (const float token : sample.values) ++counts[token];
  }

  // Rank 1 is alone in its octave; ranks 4 to 7 share one.
  for (const float rank : {4.0F, 5.0F, 6.0F, 7.0F}) {
    CHECK(counts[kFirstWord + rank - 1] / counts[kFirstWord] == Approx(0.25).epsilon(0.1));
  }
}

TEST_CASE("shapes without procedural data are refused") {
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{3, 7, 8}, {3, 8, 7}, {15}, {8, 8}}) {
    CHECK(
        problems_of([&] { static_cast<void>(procedural_data(tiny_dataset(shape, 4, 5, 5), 1)); }) ==
        Texts{"tiny: got samples of " + shape_text(shape) +
              "; procedural data are images of at least 8x8 pixels (channels, rows, columns) or "
              "texts of at least 16 tokens"});
  }
}

TEST_CASE("texts of more classes than there are marker words are refused") {
  CHECK(problems_of([] {
          static_cast<void>(procedural_data(tiny_dataset({64}, 14137, 5, 5), 1));
        }) == Texts{"tiny: got 14137 classes; procedural texts have at most 14136"});
}

}  // namespace
}  // namespace epochcast::real::tests
