// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/measure_batches.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json/json_text.hpp"
#include "core/formats/cost_trace.hpp"
#include "real/measure/batches/trace_file.hpp"
#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

MeasureSettings three_samples() {
  return {.networks = {"small-cnn"},
          .input = {3, 32, 32},
          .classes = 10,
          .batches = {2, 4},
          .layers_batch = 2,
          .rule = {.warmup = 1, .min_samples = 3, .max_samples = 3}};
}

TEST_CASE("a measurement makes a valid trace whose phases add up to the whole") {
  const std::vector<NetworkCosts> costs = measure(three_samples(), [](const MeasureProgress&) {});
  const TraceFile header = {.name = "t",
                            .title = "t",
                            .device = "d",
                            .source = {.grade = Grade::measured,
                                       .machine = "m",
                                       .date = "2026-11-21",
                                       .command = "c",
                                       .versions = library_versions()},
                            .costs = {}};

  const TraceFile file =
      parse_trace(nlohmann::json(to_json(make_trace(header, costs, Precision::float32))), "t.json");

  REQUIRE(file.costs.size() == 1);
  CHECK(file.costs[0].network == "small-cnn");
  REQUIRE(file.costs[0].batches.size() == 2);
  for (const epochcast::BatchSamples& batch : file.costs[0].batches) {
    CHECK(batch.total_s.size() == 3);
    for (std::size_t i = 0; i < batch.total_s.size(); ++i) {
      const double parts_s =
          batch.load_s[i] + batch.forward_s[i] + batch.backward_s[i] + batch.step_s[i];
      // The phases share their ends, so only the rounding to 7 digits of five numbers remains: 5e-7
      // each.
      CHECK(parts_s == Approx(batch.total_s[i]).epsilon(1e-6));
    }
  }
  std::vector<std::string> layers;
  for (const LayerShare& layer : file.costs[0].backward_layers) layers.push_back(layer.name);
  CHECK(layers == std::vector<std::string>{"fc2", "fc1", "conv2", "conv1"});
}

TEST_CASE("progress is reported for every point and ends at 1") {
  std::vector<MeasureProgress> finished;

  static_cast<void>(measure(three_samples(), [&](const MeasureProgress& progress) {
    if (!progress.finished.empty()) finished.push_back(progress);
  }));

  REQUIRE(finished.size() == 3);
  CHECK(finished[0].point == "small-cnn, batch 2");
  CHECK(finished[2].point == "small-cnn, batch 2, layers");
  CHECK(finished[1].done == Approx(2.0 / 3).epsilon(1e-12));
  CHECK(finished[2].done == 1);
  CHECK(finished[2].at_most_left_s == 0);
}

/// A group whose other ranks need more batches of each point.
class SlowGroup : public MeasureGroup {
 public:
  void start_point() override {
    ++points;
    extra_ = 4;
  }
  bool is_point_over(bool has_enough) override {
    if (!has_enough) return false;
    ++asked;
    return --extra_ == 0;
  }
  std::unique_ptr<GroupExchange> exchange(const std::string&, bool) override { return nullptr; }

  int points = 0;
  int asked = 0;

 private:
  int extra_ = 0;
};

TEST_CASE(
    "a rank with enough samples continues to compute until the group has, and discards these") {
  SlowGroup group;
  int reports = 0;

  const std::vector<NetworkCosts> costs = measure(
      three_samples(),
      [&](const MeasureProgress& progress) { reports += progress.finished.empty() ? 0 : 1; },
      group);

  CHECK(group.points == 3);  // two batch sizes and the layers
  CHECK(group.asked == 3 * 4);
  CHECK(reports == 3);
  for (const BatchCosts& batch : costs.at(0).batches) CHECK(batch.samples.size() == 3);
}

TEST_CASE("if some ranks are slowed, all first measure batches at full speed") {
  MeasureSettings settings = three_samples();
  settings.slow_down = 1;
  SlowGroup group;

  const std::vector<NetworkCosts> costs = measure(
      settings, [](const MeasureProgress&) {}, group);

  CHECK(group.points == 2 * 3);
  for (const BatchCosts& batch : costs.at(0).batches) CHECK(batch.samples.size() == 3);
}

/// All-reduces that take 1 ms, regardless of overlapped computation.
class FreeExchange : public GroupExchange {
 public:
  void run(double) override {}
  void start(std::int64_t count, double) override { seconds_ = 1e-3 * static_cast<double>(count); }
  ExchangeSpan finish() override { return {.began_s = 0, .ended_s = seconds_}; }
  double largest(double mine) override { return mine; }

 private:
  double seconds_ = 0;
};

class ExchangingGroup : public MeasureAlone {
 public:
  std::unique_ptr<GroupExchange> exchange(const std::string& all_reduce, bool on_cores) override {
    CHECK(all_reduce == "ring");
    CHECK(on_cores);
    return std::make_unique<FreeExchange>();
  }
};

TEST_CASE("overlap is measured if the group exchanges, with at most the gradients' bytes") {
  MeasureSettings settings = three_samples();
  settings.overlap = "ring";
  settings.overlap_bytes = 1e9;
  settings.rule.max_s = 0.05;
  ExchangingGroup group;
  std::vector<std::string> points;

  const std::vector<NetworkCosts> costs = measure(
      settings,
      [&](const MeasureProgress& progress) {
        if (!progress.finished.empty()) points.push_back(progress.point);
      },
      group);

  REQUIRE(points.size() == 4);
  CHECK(points.back() ==
        "small-cnn, batch " + std::to_string(settings.batches.back()) + ", overlap");
  REQUIRE(costs.at(0).overlap.size() == 1);
  const OverlapSamples& overlap = costs[0].overlap[0];
  CHECK(overlap.batch == settings.batches.back());
  CHECK(overlap.bytes > 0);
  CHECK(overlap.bytes < 1e8);
  CHECK(overlap.exchange_alone_s.front() == Approx(1e-3).epsilon(1e-9));
  CHECK(measure(settings, [](const MeasureProgress&) {}).at(0).overlap.empty());
}

TEST_CASE("networks with their own loss or with rows as inputs are measured, too") {
  MeasureSettings settings = three_samples();
  settings.networks = {"gan", "rnn"};
  settings.input = {1, 28, 28};
  settings.batches = {2};

  const std::vector<NetworkCosts> costs = measure(settings, [](const MeasureProgress&) {});

  REQUIRE(costs.size() == 2);
  CHECK(costs[0].backward_layers.back().name == "generator.label_emb");
  CHECK(costs[1].backward_layers.back().name == "rnn");
}

TEST_CASE("unsuitable samples of a network are reported before the measurement") {
  MeasureSettings settings = three_samples();
  settings.networks = {"small-cnn", "distilbert"};
  int reports = 0;

  CHECK_THROWS_WITH(measure(settings, [&](const MeasureProgress&) { ++reports; }),
                    "distilbert: got samples of shape 3x32x32; expected texts [tokens] of at most "
                    "512 tokens");
  CHECK(reports == 0);
}

TEST_CASE("an unknown network or device is a UserError") {
  MeasureSettings settings = three_samples();
  settings.networks = {"resnet19"};
  CHECK_THROWS_AS(measure(settings, [](const MeasureProgress&) {}), UserError);

  settings = three_samples();
  settings.device = "cuda:99";
  CHECK_THROWS_AS(measure(settings, [](const MeasureProgress&) {}), UserError);
}

TEST_CASE("LibTorch is among the versions recorded") {
  CHECK_FALSE(library_versions().at("libtorch").empty());
}

}  // namespace
}  // namespace epochcast::real
