// SPDX-License-Identifier: Apache-2.0
#include "compression/compression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/error.hpp"
#include "compression/kernels/int8_blocks.hpp"
#include "tests/catch.hpp"
#include "tests/compression/exchanges.hpp"

namespace epochcast::tests {
namespace {

/// A bucket of a 12 x 20 matrix, a vector of 20, and a 10 x 3 x 5 tensor.
const TensorShapes kTensors = {{12, 20}, {20}, {10, 3, 5}};
constexpr std::int64_t kCount = 240 + 20 + 150;

/// Every method, compressing from its first step on.
const std::vector<std::string> kMethods = {"fp16",
                                           "bf16",
                                           "int8",
                                           "topk compression-ratio=0.1",
                                           "gtopk compression-ratio=0.1",
                                           "oktopk compression-ratio=0.1",
                                           "gaussiank compression-ratio=0.1",
                                           "terngrad",
                                           "qsgd",
                                           "powersgd powersgd-start=0",
                                           "onebit onebit-freeze-step=0"};

const CompressionMethod& method_of(const std::string& text) {
  return *find_compression(text.substr(0, text.find(' ')));
}

Exchanges normal_exchanges(const std::string& method, int exchanges, int workers) {
  return {.config = compressed_job(method),
          .tensors = kTensors,
          .buckets = normal_buckets(exchanges, workers, kCount),
          .weights = equal_weights(workers),
          .count = kCount};
}

void check_close(const Vector& found, const std::vector<double>& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(static_cast<double>(found[i]) - expected[i]);
    REQUIRE(std::isfinite(difference));  // NaN is never the maximum
    largest = std::max(largest, difference);
  }
  CHECK(largest <= tolerance);
}

TEST_CASE("tests cover every compression") {
  std::set<std::string_view> tested;
  for (const std::string& text : kMethods) tested.insert(method_of(text).name);

  CHECK(tested.size() == compressions().size());
}

TEST_CASE("several compressions are a sweep") {
  CHECK_THROWS_WITH(find_compression("topk,fp16"),
                    Catch::EndsWith("; several: --sweep compression=topk,fp16"));
}

TEST_CASE("every member gets the same numbers, bit for bit") {
  for (const std::string& method : kMethods) {
    for (const int workers : {2, 3, 5, 8}) {
      CAPTURE(method, workers);
      const Exchanged outcome = exchange(normal_exchanges(method, 3, workers));

      for (const auto& results : outcome.results) {
        for (const Vector& result : results) CHECK(result == results.front());
        CHECK(std::any_of(results.front().begin(), results.front().end(), [](float value) {
          return value != 0;
        }));
      }
    }
  }
}

TEST_CASE("worlds without numbers send the same messages and do the same work") {
  for (const std::string& method : kMethods) {
    for (const int workers : {2, 3, 7}) {
      CAPTURE(method, workers);
      Exchanges exchanges = normal_exchanges(method, 2, workers);
      const Exchanged with = exchange(exchanges);
      exchanges.buckets.assign(2, {});
      const Exchanged without = exchange(exchanges);

      for (std::size_t rank = 0; rank < static_cast<std::size_t>(workers); ++rank) {
        const auto& a = with.fabric.calls[rank];
        const auto& b = without.fabric.calls[rank];
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          CHECK(a[i].name == b[i].name);
          CHECK(a[i].bytes == b[i].bytes);
          CHECK(a[i].peer == b[i].peer);
        }
      }
      CHECK(with.kernel_bytes == without.kernel_bytes);
      CHECK(*std::min_element(with.kernel_bytes.begin(), with.kernel_bytes.end()) > 0);
    }
  }
}

/// Bytes of all members by the formulas of docs/compression.md, for n values and p members.
using Formula = std::function<double(double n, double p)>;

/// Σ over the p parts of a bucket, the i-th from ⌊i·n/p⌋ to ⌊(i+1)·n/p⌋.
double sum_of_parts(double n, double p, const std::function<double(double)>& bytes) {
  double sum = 0;
  for (double i = 0; i < p; ++i) sum += bytes(std::floor((i + 1) * n / p) - std::floor(i * n / p));
  return sum;
}

/// Σ over the tensors of kTensors, as far as they are in [begin, end).
double sum_of_tensors(double begin, double end, const std::function<double(double)>& bytes) {
  double sum = 0;
  double first = 0;
  for (const double count : {240, 20, 150}) {
    const double inside = std::min(end, first + count) - std::max(begin, first);
    if (inside > 0) sum += bytes(inside);
    first += count;
  }
  return sum;
}

const std::map<std::string_view, Formula> kFormulas = {
    {"fp16", [](double n, double p) { return 2 * (p - 1) * 2 * n; }},
    {"bf16", [](double n, double p) { return 2 * (p - 1) * 2 * n; }},
    {"int8",
     [](double n, double p) {
       return 2 * (p - 1) *
              sum_of_parts(n, p, [](double part) { return part + 4 * std::ceil(part / 256); });
     }},
    // k = 41
    {"topk", [](double, double p) { return p * (p - 1) * 8 * 41; }},
    {"gaussiank", [](double, double p) { return p * (p - 1) * 8 * 41; }},
    {"gtopk", [](double, double p) { return 2 * (p - 1) * 8 * 41; }},
    {"oktopk", [](double, double p) { return 2 * p * (p - 1) * 8 * std::ceil(41 / p); }},
    {"terngrad",
     [](double n, double p) {
       return p * (p - 1) *
              sum_of_tensors(0, n, [](double count) { return 4 + std::ceil(count / 5); });
     }},
    {"qsgd",  // s = 7: 4 bits
     [](double n, double p) {
       return p * (p - 1) * (4 * std::ceil(n / 512) + std::ceil(4 * n / 8));
     }},
    // Rank 1, rate 2: 12 x 20 and 10 x 15 are compressed.
    {"powersgd", [](double, double p) { return 2 * (p - 1) * 4 * (12 + 20 + 20 + 10 + 15); }},
    {"onebit", [](double n, double p) {
       double sum = 0;
       for (double i = 0; i < p; ++i)
         sum += sum_of_tensors(std::floor(i * n / p),
                               std::floor((i + 1) * n / p),
                               [](double count) { return 4 + std::ceil(count / 8); });
       return 2 * (p - 1) * sum;
     }}};

TEST_CASE("terngrad and onebit scale each tensor by itself") {
  for (const std::string method : {"terngrad", "onebit onebit-freeze-step=0"}) {
    CAPTURE(method);
    // Numbers of a tensor have one size, which three levels and signs represent.
    std::vector<Vector> buckets(2, Vector(kCount, 1000.0F));
    for (Vector& bucket : buckets) {
      std::fill(bucket.begin() + 240, bucket.begin() + 260, -0.25F);
      std::fill(bucket.begin() + 260, bucket.end(), 1.0F);
    }
    const Exchanges exchanges = {.config = compressed_job(method),
                                 .tensors = kTensors,
                                 .buckets = {buckets},
                                 .weights = equal_weights(2),
                                 .count = kCount};

    check_close(exchange(exchanges).results[0][0], weighted_sum(buckets, exchanges.weights), 0);
  }
}

TEST_CASE("bytes on the wire follow each method's formula, for 1 to 17 members") {
  for (const std::string& text : kMethods) {
    for (int workers = 1; workers <= 17; ++workers) {
      CAPTURE(text, workers);
      Exchanges exchanges = normal_exchanges(text, 1, workers);
      exchanges.buckets.assign(1, {});
      const double expected =
          workers == 1 ? 0 : kFormulas.at(method_of(text).name)(kCount, workers);

      CHECK(exchange(exchanges).sent_bytes() == Approx(expected));
      CHECK(make_compression(exchanges.config, 0)->wire_bytes(kCount, workers, kTensors) ==
            Approx(expected));
    }
  }
}

TEST_CASE("a member alone keeps its numbers, times its weight") {
  for (const std::string& method : kMethods) {
    CAPTURE(method);
    Exchanges exchanges = normal_exchanges(method, 1, 1);
    exchanges.weights = {0.5};
    const Exchanged outcome = exchange(exchanges);

    check_close(outcome.results[0][0], weighted_sum(exchanges.buckets[0], exchanges.weights), 0);
  }
}

TEST_CASE("methods that keep all values equal the dense sum: k = n and full rank") {
  for (const std::string method :
       {"topk compression-ratio=1",
        "gtopk compression-ratio=1",
        "oktopk compression-ratio=1",
        "gaussiank compression-ratio=1",
        "powersgd powersgd-start=0 powersgd-rank=15 powersgd-min-rate=0"}) {
    for (const int workers : {2, 3, 4, 7, 16}) {
      CAPTURE(method, workers);
      const Exchanges exchanges = normal_exchanges(method, 3, workers);
      const Exchanged outcome = exchange(exchanges);

      for (std::size_t i = 0; i < exchanges.buckets.size(); ++i) {
        // Numbers near 1: float32 rounds sums of 16 to 1e-6, and sums of projections to 1e-5.
        check_close(outcome.results[i][0],
                    weighted_sum(exchanges.buckets[i], exchanges.weights),
                    method.starts_with("powersgd") ? 1e-5 : 1e-6);
      }
    }
  }
}

TEST_CASE("int8 equals the dense sum on values that it represents") {
  constexpr int kWorkers = 2;
  constexpr std::size_t kLength = 2 * 512;
  // Multiples of 2 up to 126, with 127 and -127 in each block; the second worker has the same signs
  // at those places and zeros elsewhere, or half of the first one's values.
  std::vector<Vector> buckets(kWorkers, Vector(kLength));
  for (std::size_t i = 0; i < kLength; ++i) {
    buckets[0][i] = static_cast<float>(2 * static_cast<int>(i % 127) - 126);
    if (i % 256 == 0) buckets[0][i] = 127;
    buckets[1][i] = i % 256 == 0 ? 127.0F : 0.0F;
  }
  Exchanges exchanges = {.config = compressed_job("int8"),
                         .buckets = {buckets},
                         .weights = {0.5, 0.5},
                         .count = static_cast<std::int64_t>(kLength)};
  const Exchanged outcome = exchange(exchanges);

  check_close(outcome.results[0][0], weighted_sum(buckets, exchanges.weights), 0);
}

TEST_CASE("fp16 and bf16 equal the dense sum on small integers") {
  for (const std::string method : {"fp16", "bf16"}) {
    CAPTURE(method);
    std::vector<Vector> buckets(4, Vector(50));
    for (std::size_t worker = 0; worker < 4; ++worker) {
      for (std::size_t i = 0; i < 50; ++i)
        buckets[worker][i] = static_cast<float>(4 * static_cast<int>((7 * i + worker) % 9) - 16);
    }
    const Exchanges exchanges = {.config = compressed_job(method),
                                 .buckets = {buckets},
                                 .weights = equal_weights(4),
                                 .count = 50};

    check_close(exchange(exchanges).results[0][0], weighted_sum(buckets, exchanges.weights), 0);
  }
}

TEST_CASE("error feedback conserves the sum: what was not sent is kept") {
  for (const std::string& method : kMethods) {
    if (!method_of(method).has_error_feedback) continue;
    for (const int workers : {2, 3, 5, 8}) {
      CAPTURE(method, workers);
      Exchanges exchanges = normal_exchanges(method, 6, workers);
      exchanges.weights = equal_weights(workers);
      exchanges.weights[0] += 0.05;  // those of uneven batches
      exchanges.weights[1] -= 0.05;
      const Exchanged outcome = exchange(exchanges);

      std::vector<double> before(kCount);
      for (std::size_t i = 0; i < exchanges.buckets.size(); ++i) {
        std::vector<double> expected = weighted_sum(exchanges.buckets[i], exchanges.weights);
        Vector found = outcome.results[i][0];
        std::vector<double> after(kCount);
        for (std::size_t j = 0; j < expected.size(); ++j) {
          expected[j] += before[j];
          for (const Vector& kept : outcome.kept[i]) after[j] += static_cast<double>(kept[j]);
          found[j] += static_cast<float>(after[j]);
        }
        check_close(found, expected, 2e-5);  // sums of some ten float32 numbers below 10
        before = after;
      }
      CHECK(std::any_of(before.begin(), before.end(), [](double kept) { return kept != 0; }));
    }
  }
}

TEST_CASE("methods without error feedback keep nothing") {
  for (const std::string& method : kMethods) {
    if (method_of(method).has_error_feedback) continue;
    CAPTURE(method);
    const Exchanged outcome = exchange(normal_exchanges(method, 1, 3));

    for (const Vector& kept : outcome.kept[0])
      CHECK(std::all_of(kept.begin(), kept.end(), [](float value) { return value == 0; }));
  }
}

TEST_CASE("exchanges after saving and loading equal those without, bit for bit") {
  for (const std::string& method : kMethods) {
    CAPTURE(method);
    Exchanges exchanges = normal_exchanges(method, 4, 3);
    const Exchanged without = exchange(exchanges);
    exchanges.is_interrupted = true;

    CHECK(exchange(exchanges).results == without.results);
  }
}

TEST_CASE("a state that was not saved by a compression is refused") {
  const auto compression = make_compression(compressed_job("topk"), 0);

  CHECK_THROWS_WITH(compression->load(""),
                    "the state of the compression does not begin with its steps");
  CHECK_THROWS_WITH(compression->load("7\nx"), "the numbers kept between exchanges are incomplete");
}

TEST_CASE("warm-ups exchange all numbers before their first step") {
  for (const std::string method : {"powersgd powersgd-start=2", "onebit onebit-freeze-step=2"}) {
    CAPTURE(method);
    const Exchanges exchanges = normal_exchanges(method, 3, 2);
    const Exchanged outcome = exchange(exchanges);

    for (std::size_t i = 0; i < 2; ++i)
      check_close(
          outcome.results[i][0], weighted_sum(exchanges.buckets[i], exchanges.weights), 1e-6);
    const std::vector<FakeCall> all = outcome.fabric.of(0, "all_reduce");
    CHECK(all[0].bytes == 4 * kCount);
    CHECK(all[1].bytes == 4 * kCount);
    CHECK((all.size() == 2 || all[2].bytes < 4 * kCount));
  }
}

TEST_CASE("powersgd without error feedback or warm start keeps no errors") {
  const Exchanged outcome =
      exchange(normal_exchanges("powersgd powersgd-start=0 powersgd-error-feedback=off", 2, 2));

  for (const Vector& kept : outcome.kept[1])
    CHECK(std::all_of(kept.begin(), kept.end(), [](float value) { return value == 0; }));
}

TEST_CASE("a warm start approximates the same matrix better with each exchange") {
  Exchanges exchanges =
      normal_exchanges("powersgd powersgd-start=0 powersgd-error-feedback=off", 1, 2);
  exchanges.buckets.resize(8, exchanges.buckets.front());
  const Exchanged warm = exchange(exchanges);
  const std::vector<double> exact = weighted_sum(exchanges.buckets[0], exchanges.weights);
  const auto error_of = [&](const Exchanged& outcome, std::size_t i) {
    double squares = 0;
    for (std::size_t j = 0; j < exact.size(); ++j)
      squares += std::pow(static_cast<double>(outcome.results[i][0][j]) - exact[j], 2);
    return squares;
  };

  for (std::size_t i = 1; i < 8; ++i) CHECK(error_of(warm, i) <= error_of(warm, i - 1) * 1.000001);
  CHECK(error_of(warm, 7) < 0.99 * error_of(warm, 0));
}

TEST_CASE("oktopk without exact selections in between still sends its part") {
  const Exchanged outcome =
      exchange(normal_exchanges("oktopk compression-ratio=0.1 oktopk-threshold-period=100", 5, 4));

  for (const auto& results : outcome.results) {
    const auto sent =
        std::count_if(results[0].begin(), results[0].end(), [](float value) { return value != 0; });
    CHECK(sent > 20);   // of 41
    CHECK(sent <= 44);  // four regions of 11
  }
}

TEST_CASE("an unknown compression is refused, with the closest name") {
  CHECK(find_compression("none") == nullptr);
  CHECK_THROWS_WITH(find_compression("tpk"),
                    "--compression: unknown compression \"tpk\"; did you mean \"topk\"?");
}

}  // namespace
}  // namespace epochcast::tests
