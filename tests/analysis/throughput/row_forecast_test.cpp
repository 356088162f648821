// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/row_forecast.hpp"

#include <cmath>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

const NodeFigures kNode = {.devices_per_node = 4,
                           .node_bytes_per_s = 300e9,
                           .network_bytes_per_s = 12.5e9,
                           .memory_bytes_per_s = 1.5e12};

TrainingJob job_with(GradientOverlap overlap) {
  return {.parameters = 25e6,
          .gradient_bytes = 100e6,
          .tensors = 160,
          .kernels = 480,
          .overlap = overlap};
}

MeasuredRow measured(int nodes, int devices, double batch, double step_s) {
  return {.row = {.nodes = nodes, .devices = devices, .batch = batch}, .step_s = step_s};
}

TEST_CASE("a forecast of the measured rows gives them back", "[throughput]") {
  const MeasuredRows rows = {.own = {measured(1, 1, 32, 0.1), measured(1, 4, 32, 0.11)}};

  for (const GradientOverlap overlap : {GradientOverlap::none,
                                        GradientOverlap::bucket,
                                        GradientOverlap::priority,
                                        GradientOverlap::unknown}) {
    const auto forecasts =
        forecast_rows(kNode, job_with(overlap), rows, {}, {rows.own[0].row, rows.own[1].row});

    CHECK(forecasts[0].step_s == Approx(0.1).epsilon(1e-6));
    CHECK(forecasts[1].step_s == Approx(0.11).epsilon(1e-6));
  }
}

TEST_CASE("what was not measured widens the interval", "[throughput]") {
  const TrainingJob job = job_with(GradientOverlap::none);
  const std::vector<TrainingRow> asked = {{.nodes = 8, .devices = 32, .batch = 32}};
  const MeasuredRow device = measured(1, 1, 32, 0.1);
  const auto width = [&](const MeasuredRows& rows, const MeasuredRates& rates) {
    const StepForecast forecast = forecast_rows(kNode, job, rows, rates, asked).front();
    CHECK(forecast.low_s < forecast.step_s);
    CHECK(forecast.step_s < forecast.high_s);
    return std::log(forecast.high_s / forecast.low_s);
  };

  const double without_node = width({.own = {device}}, {});
  const double with_node = width({.own = {device, measured(1, 4, 32, 0.105)}}, {});
  const double with_network = width({.own = {device, measured(1, 4, 32, 0.105)}},
                                    {.network_bytes_per_s = 11e9, .network_hop_s = 8e-6});

  CHECK(with_node < without_node);
  CHECK(with_network < with_node);
}

TEST_CASE("rows of two batch sizes tell the fixed part of a batch", "[throughput]") {
  // 15 ms and 1 ms per sample, far from the 4 ms that the kernels make.
  const MeasuredRows rows = {.own = {measured(1, 1, 16, 0.031), measured(1, 1, 64, 0.079)}};

  const StepForecast half =
      forecast_rows(kNode, job_with(GradientOverlap::none), rows, {}, {{.batch = 32}}).front();

  CHECK(half.step_s == Approx(0.047).epsilon(0.03));
}

TEST_CASE("overlap hides an exchange as far as backward lasts", "[throughput]") {
  const MeasuredRows rows = {.own = {measured(1, 1, 32, 0.1)}};
  const std::vector<TrainingRow> asked = {{.nodes = 4, .devices = 16, .batch = 32}};

  const double after =
      forecast_rows(kNode, job_with(GradientOverlap::none), rows, {}, asked).front().step_s;
  const double during =
      forecast_rows(kNode, job_with(GradientOverlap::bucket), rows, {}, asked).front().step_s;
  const double either =
      forecast_rows(kNode, job_with(GradientOverlap::unknown), rows, {}, asked).front().step_s;

  CHECK(during < either);
  CHECK(either < after);
  CHECK(during > 0.1);
}

TEST_CASE("accumulation exchanges once for all micro-batches", "[throughput]") {
  const MeasuredRows rows = {.own = {measured(1, 1, 32, 0.1)}};
  const TrainingJob job = job_with(GradientOverlap::none);
  TrainingRow row = {.nodes = 4, .devices = 16, .batch = 32};
  const double once = forecast_rows(kNode, job, rows, {}, {row}).front().step_s;
  row.accumulation = 8;

  const double eight = forecast_rows(kNode, job, rows, {}, {row}).front().step_s;

  CHECK(eight < 8 * once);
  CHECK(eight > 8 * 0.09);
}

TEST_CASE("a node that waits for its input does not become slower by the network", "[throughput]") {
  const MeasuredRows rows = {.own = {measured(1, 1, 32, 0.1), measured(1, 4, 32, 0.3)}};

  const StepForecast forecast = forecast_rows(kNode,
                                              job_with(GradientOverlap::bucket),
                                              rows,
                                              {},
                                              {{.nodes = 2, .devices = 8, .batch = 32}})
                                    .front();

  CHECK(forecast.step_s >= 0.3);
  CHECK(forecast.step_s < 0.31);
}

TEST_CASE("a forecast needs a measured row", "[throughput]") {
  CHECK_THROWS_WITH(
      forecast_rows(kNode, job_with(GradientOverlap::none), {}, {}, {{.nodes = 2, .devices = 8}}),
      "expected at least one measured row");
}

}  // namespace
}  // namespace epochcast::tests
