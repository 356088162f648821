// SPDX-License-Identifier: Apache-2.0
// The accuracy of a simple classifier shows how hard procedural data are.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"

namespace epochcast::real::tests {
namespace {

std::vector<Sample> first_samples(const DataSource& source, std::int64_t number) {
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < number; ++i) samples.push_back(sample_of(source, i));
  return samples;
}

/// A function of samples, applied to all.
template <typename Call>
std::vector<Sample> mapped(std::vector<Sample> samples, Call call) {
  for (Sample& sample : samples) sample.values = call(sample.values);
  return samples;
}

float squared_distance(const Floats& a, const Floats& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// The share of `test` whose nearest sample of `train` has the right label.
double nearest_accuracy(const std::vector<Sample>& train, const std::vector<Sample>& test) {
  double right = 0;
  for (const Sample& sample : test) {
    const Sample* nearest = &train.front();
    float smallest = squared_distance(sample.values, nearest->values);
    for (const Sample& other : train) {
      const float distance = squared_distance(sample.values, other.values);
      if (distance < smallest) {
        nearest = &other;
        smallest = distance;
      }
    }
    right += nearest->label == sample.label ? 1 : 0;
  }
  return right / static_cast<double>(test.size());
}

/// The same with the classes' means for training samples.
double nearest_mean_accuracy(const std::vector<Sample>& train, const std::vector<Sample>& test) {
  std::map<std::int64_t, Sample> means;
  std::map<std::int64_t, float> counts;
  for (const Sample& sample : train) {
    Sample& mean = means[sample.label];
    mean.label = sample.label;
    mean.values.resize(sample.values.size());
    for (std::size_t i = 0; i < sample.values.size(); ++i) mean.values[i] += sample.values[i];
    ++counts[sample.label];
  }
  std::vector<Sample> classes;
  for (auto& [label, mean] : means) {
    for (float& value : mean.values) value /= counts[label];
    classes.push_back(mean);
  }
  return nearest_accuracy(classes, test);
}

/// The accuracy of softmax regression on the samples' values, normalised to deviation 1, after
/// `epochs` of SGD.
class LinearClassifier {
 public:
  LinearClassifier(std::vector<Sample> train, std::int64_t classes, float rate, int epochs)
      : scale_(train[0].values.size(), 0), weights_(static_cast<std::size_t>(classes)) {
    for (const Sample& sample : train) {
      for (std::size_t i = 0; i < scale_.size(); ++i) {
        scale_[i] += sample.values[i] * sample.values[i] / static_cast<float>(train.size());
      }
    }
    for (float& value : scale_) value = 1 / std::sqrt(value + 1e-6F);
    for (Floats& weights : weights_) weights.resize(scale_.size() + 1);
    for (Sample& sample : train) sample.values = scaled(sample.values);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      for (const Sample& sample : train) step(sample, rate / static_cast<float>(epoch));
    }
  }

  [[nodiscard]] double accuracy(const std::vector<Sample>& test) const {
    double right = 0;
    for (const Sample& sample : test) {
      const Floats scores = scores_of(scaled(sample.values));
      const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
      right += best == sample.label ? 1 : 0;
    }
    return right / static_cast<double>(test.size());
  }

 private:
  [[nodiscard]] Floats scaled(Floats values) const {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scale_[i];
    return values;
  }
  [[nodiscard]] Floats scores_of(const Floats& values) const {
    Floats scores;
    for (const Floats& weights : weights_) {
      float score = weights.back();
      for (std::size_t i = 0; i < values.size(); ++i) score += weights[i] * values[i];
      scores.push_back(score);
    }
    return scores;
  }
  void step(const Sample& sample, float rate) {
    Floats shares = scores_of(sample.values);
    const float largest = *std::max_element(shares.begin(), shares.end());
    float sum = 0;
    for (float& share : shares) sum += share = std::exp(share - largest);
    for (std::size_t label = 0; label < weights_.size(); ++label) {
      const float target = static_cast<std::int64_t>(label) == sample.label ? 1.0F : 0.0F;
      const float change = rate * (target - shares[label] / sum);
      for (std::size_t i = 0; i < sample.values.size(); ++i) {
        weights_[label][i] += change * sample.values[i];
      }
      weights_[label].back() += change;
    }
  }

  Floats scale_;
  std::vector<Floats> weights_;  ///< [classes, values and a constant]
};

constexpr std::size_t kSide = 32;
constexpr std::size_t kColours = 3;

/// Sums over the image of products of two pixels a few steps apart, for pairs of colours: like two
/// layers of convolutions and a mean, they do not depend on positions.
Floats products(const Floats& image) {
  constexpr std::size_t kReach = 4;
  Floats result;
  const auto pixel = [&](std::size_t colour, std::size_t row, std::size_t column) {
    return image[(colour * kSide + row) * kSide + column];
  };
  for (std::size_t a = 0; a < kColours; ++a) {
    for (std::size_t b = a; b < kColours; ++b) {
      for (std::size_t down = 0; down < kReach; ++down) {
        for (std::size_t right = 0; right < kReach; ++right) {
          float sum = 0;
          for (std::size_t row = 0; row + down < kSide; ++row) {
            for (std::size_t column = 0; column + right < kSide; ++column) {
              sum += pixel(a, row, column) * pixel(b, row + down, column + right) +
                     pixel(a, row + down, column) * pixel(b, row, column + right);
            }
          }
          result.push_back(sum);
        }
      }
    }
  }
  return result;
}

TEST_CASE("textures: linear on pixels is above chance, linear on products far above") {
  constexpr int kClasses = 10;
  const DataSplit split = procedural_data(tiny_dataset({3, 32, 32}, kClasses, 1500, 400), 7);
  const std::vector<Sample> train = first_samples(*split.train, 1500);
  const std::vector<Sample> test = first_samples(*split.test, 400);

  const double means = nearest_mean_accuracy(train, test);
  const double on_pixels = LinearClassifier(train, kClasses, 0.001F, 5).accuracy(test);
  const double on_products = LinearClassifier(mapped(train, products), kClasses, 0.01F, 20)
                                 .accuracy(mapped(test, products));

  // By chance 10 %, of 400 with a deviation of 1.5 %.
  INFO(means << ", " << on_pixels << ", " << on_products);
  CHECK((means > 0.14 && means < 0.4));
  CHECK((on_pixels > 0.14 && on_pixels < 0.4));
  CHECK(on_products > 0.7);
}

TEST_CASE("digits: the nearest of 2,000 samples is mostly right, the nearest mean often wrong") {
  const DataSplit split = procedural_data(tiny_dataset({1, 28, 28}, 10, 2000, 300), 7);
  const std::vector<Sample> train = first_samples(*split.train, 2000);
  const std::vector<Sample> test = first_samples(*split.test, 300);

  const double means = nearest_mean_accuracy(train, test);
  const double nearest = nearest_accuracy(train, test);

  INFO(means << ", " << nearest);
  CHECK((means > 0.3 && means < 0.65));
  CHECK(nearest > 0.7);
}

/// The frequencies of the tokens that distinguish classes: those above the common words.
struct Markers {
  std::map<float, std::size_t> numbers;

  explicit Markers(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      for (const float token : sample.values) {
        if (token >= 2 + 16384) numbers.emplace(token, numbers.size());
      }
    }
  }
  [[nodiscard]] Floats counts(const Floats& text) const {
    Floats result(numbers.size());
    for (const float token : text) {
      if (const auto at = numbers.find(token); at != numbers.end()) ++result[at->second];
    }
    return result;
  }
  /// Of pairs: the one marker at most 3 tokens before the other.
  [[nodiscard]] Floats pairs(const Floats& text) const {
    Floats result(numbers.size() * numbers.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto first = numbers.find(text[i]);
      for (std::size_t j = i + 1; first != numbers.end() && j < std::min(i + 4, text.size()); ++j) {
        if (const auto second = numbers.find(text[j]); second != numbers.end()) {
          ++result[first->second * numbers.size() + second->second];
        }
      }
    }
    return result;
  }
};

TEST_CASE("texts: words distinguish pairs of classes, only their order the two of a pair") {
  constexpr int kClasses = 4;
  const DataSplit split = procedural_data(tiny_dataset({128}, kClasses, 2000, 500), 7);
  const std::vector<Sample> train = first_samples(*split.train, 2000);
  const std::vector<Sample> test = first_samples(*split.test, 500);
  const Markers markers(train);
  const auto counts = [&](const Floats& text) { return markers.counts(text); };
  const auto pairs = [&](const Floats& text) { return markers.pairs(text); };

  const double by_words =
      LinearClassifier(mapped(train, counts), kClasses, 0.02F, 10).accuracy(mapped(test, counts));
  const double by_order =
      LinearClassifier(mapped(train, pairs), kClasses, 0.02F, 10).accuracy(mapped(test, pairs));

  // Distinguishing only pairs of classes gives 50 %.
  INFO(by_words << ", " << by_order);
  CHECK(markers.numbers.size() == kClasses);
  CHECK((by_words > 0.4 && by_words < 0.6));
  CHECK(by_order > 0.9);
}

}  // namespace
}  // namespace epochcast::real::tests
