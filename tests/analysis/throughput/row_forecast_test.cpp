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

TEST_CASE("rows that contradict each other widen the interval by their misfit", "[throughput]") {
  const TrainingJob job = job_with(GradientOverlap::none);
  const std::vector<TrainingRow> asked = {{.nodes = 8, .devices = 32, .batch = 32}};
  const MeasuredRow device = measured(1, 1, 32, 0.1);
  const MeasuredRow node = measured(1, 4, 32, 0.105);
  const auto width = [&](const MeasuredRow& of_eight) {
    const StepForecast forecast =
        forecast_rows(kNode, job, {.own = {device, node, of_eight}}, {}, asked).front();
    return std::log(forecast.high_s / forecast.low_s);
  };

  // Two nodes that are faster than one by a factor of two.
  CHECK(width(measured(2, 8, 32, 0.0525)) > 2 * 1.645 * std::log(1.5));
  CHECK(width(measured(2, 8, 32, 0.12)) < width(measured(2, 8, 32, 0.0525)));
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

TEST_CASE("a row with local steps pays its exchange once in so many steps", "[throughput]") {
  const MeasuredRows rows = {.own = {measured(1, 1, 32, 0.1)}};
  TrainingJob job = job_with(GradientOverlap::none);
  TrainingRow row = {.nodes = 16, .devices = 16, .batch = 32, .network_bytes_per_s = 1e7};
  const auto step_of = [&] { return forecast_rows(kNode, job, rows, {}, {row}).front().step_s; };
  const double always_s = step_of();

  row.exchanges = 1.0 / 8;
  const double seldom_s = step_of();
  job.outer_bytes_per_parameter = 1e5;  // 25e6 parameters at 1.5e12 bytes/s: 1.67 s
  const double outer_s = step_of();

  // 20 s of exchange beside 0.1 s of computing, which fewer waits for the slowest make shorter.
  CHECK(seldom_s - 0.1 == Approx((always_s - 0.1) / 8).epsilon(0.002));
  CHECK(outer_s - seldom_s == Approx(25e6 * 1e5 / 1.5e12 / 8).epsilon(1e-6));
}

TEST_CASE("an exchange with a peer is forecast from rows of all-reduces", "[throughput]") {
  const MeasuredRows rows = {
      .own = {measured(1, 1, 32, 0.1), measured(1, 4, 32, 0.1), measured(2, 8, 32, 0.11)}};
  const TrainingJob job = job_with(GradientOverlap::bucket);
  TrainingRow row = {.nodes = 2, .devices = 8, .batch = 32, .exchange = Exchange::peer};
  row.overlap = GradientOverlap::none;
  const double after = forecast_rows(kNode, job, rows, {}, {row}).front().step_s;
  row.overlap = GradientOverlap::bucket;
  const double during = forecast_rows(kNode, job, rows, {}, {row}).front().step_s;
  row.network_bytes_per_s = 1e9;
  const double slow = forecast_rows(kNode, job, rows, {}, {row}).front().step_s;

  // Distances 1, 2, 4 of 100 MB over 10.6 GB/s or less: 22 ms on average, hidden if they overlap.
  CHECK(after - during > 0.018);
  CHECK(during < 0.106);
  // 0.12, 0.24 and 0.47 s, of which at most 85 % of a batch are hidden: each is another exchange.
  CHECK(slow > 0.1 + (0.12 + 0.24 + 0.47) / 3 - 0.085);
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

/// Forecasts of 4 nodes with a full node's row or without.
StepForecast forecast_of_nodes(const NodeFigures& node,
                               const TrainingJob& job,
                               std::vector<MeasuredRow> rows) {
  // Measured rates are the same for every kind of node.
  const MeasuredRates rates = {
      .node_bytes_per_s = 10e9, .network_bytes_per_s = 5e9, .network_hop_s = 8e-6};
  return forecast_rows(
             node, job, {.own = std::move(rows)}, rates, {{.nodes = 4, .devices = 16, .batch = 32}})
      .front();
}

TEST_CASE("a scheduler's work for messages counts for priorities that no full node shows",
          "[throughput]") {
  const MeasuredRow device = measured(1, 1, 32, 0.1);
  const MeasuredRow slow_node = measured(1, 4, 32, 0.2);
  const auto step_with = [&](GradientOverlap overlap, std::vector<MeasuredRow> rows, double s) {
    const TrainingJob job = job_with(overlap);
    const StepAssumptions assumptions = {.scheduler_s = s, .rates = default_rates(kNode)};
    const auto costs = fit_step_cost(kNode, job, assumptions, {.own = std::move(rows)}, 0, 0);
    return step_s(
        kNode, job, assumptions, costs.front().cost, {.nodes = 4, .devices = 16, .batch = 32});
  };

  // 160 tensors and 3 partitions of 25 MiB; backward and forward hide 85 ms of the whole exchange.
  CHECK(step_with(GradientOverlap::priority, {device}, 2e-3) >
        step_with(GradientOverlap::priority, {device}, 1e-3) + 0.9 * 163e-3);
  CHECK(step_with(GradientOverlap::priority, {device, slow_node}, 0.2e-3) ==
        step_with(GradientOverlap::priority, {device, slow_node}, 0));
  for (const GradientOverlap overlap : {GradientOverlap::none,
                                        GradientOverlap::bucket,
                                        GradientOverlap::tensor,
                                        GradientOverlap::unknown})
    CHECK(step_with(overlap, {device}, 2e-3) == step_with(overlap, {device}, 0));
}

TEST_CASE("messages of priorities widen the interval upwards, unless a full node shows them",
          "[throughput]") {
  const MeasuredRow device = measured(1, 1, 32, 0.1);
  const auto above = [&](GradientOverlap overlap, int tensors, std::vector<MeasuredRow> rows) {
    TrainingJob job = job_with(overlap);
    job.tensors = tensors;
    const StepForecast forecast = forecast_of_nodes(kNode, job, std::move(rows));
    return forecast.high_s / forecast.step_s;
  };

  // 0.5 ms each, of which the rest of a batch can hide little: one standard deviation.
  CHECK(above(GradientOverlap::priority, 1000, {device}) > std::pow(1 + 0.4 / 0.15, 1.645));
  CHECK(above(GradientOverlap::priority, 1000, {device, measured(1, 4, 32, 0.7)}) < 1.3);
  CHECK(above(GradientOverlap::tensor, 1000, {device}) < 1.5);
}

TEST_CASE("nodes that copy through host memory may hide less of an exchange", "[throughput]") {
  const MeasuredRow device = measured(1, 1, 32, 0.1);
  NodeFigures staged = kNode;
  staged.is_node_staged = true;
  const auto both = [&](GradientOverlap overlap) {
    TrainingJob job = job_with(overlap);
    job.exchange = Exchange::ring;
    return std::vector<StepForecast>{forecast_of_nodes(kNode, job, {device}),
                                     forecast_of_nodes(staged, job, {device})};
  };

  const auto hidden = both(GradientOverlap::bucket);
  const auto after = both(GradientOverlap::none);

  CHECK(hidden[1].step_s == Approx(hidden[0].step_s));
  CHECK(hidden[1].low_s == Approx(hidden[0].low_s));
  CHECK(hidden[1].high_s > 1.05 * hidden[0].high_s);
  CHECK(after[1].step_s == Approx(after[0].step_s));
  CHECK(after[1].high_s == Approx(after[0].high_s));
}

TEST_CASE("the interval of a node that loses a third contains other causes than its input",
          "[throughput]") {
  const std::vector<TrainingRow> half = {{.nodes = 1, .devices = 2, .batch = 32}};
  const auto forecast_of = [&](GradientOverlap overlap, double node_s) {
    const MeasuredRows rows = {.own = {measured(1, 1, 32, 0.1), measured(1, 4, 32, node_s)}};
    return forecast_rows(kNode, job_with(overlap), rows, {}, half).front();
  };

  // A loader lets two devices of four have all that it loads: 0.15 s. An extra time of each device
  // adds half of 0.2 s. Copies that are slow enough for 0.3 s hide 0.06 s and take two thirds of
  // the time among two devices: 0.21 s.
  const StepForecast limited = forecast_of(GradientOverlap::bucket, 0.3);
  CHECK(limited.step_s == Approx(0.15).epsilon(0.02));
  CHECK(limited.high_s > 0.21);
  CHECK(limited.low_s > 0.9 * limited.step_s);
  // 20 % may be a loader's limit, too: two devices lose nothing then.
  const StepForecast slower = forecast_of(GradientOverlap::bucket, 0.12);
  CHECK(slower.step_s > 0.107);
  CHECK(slower.low_s < 0.103);
  // Losses of some percents, or without overlap, have one cause.
  const StepForecast usual = forecast_of(GradientOverlap::bucket, 0.106);
  CHECK(usual.high_s < 1.05 * usual.step_s);
  const StepForecast alone = forecast_of(GradientOverlap::none, 0.3);
  CHECK(alone.high_s < 1.05 * alone.step_s);
}

TEST_CASE("rows of several nodes show the rate of the network", "[throughput]") {
  const TrainingJob job = job_with(GradientOverlap::none);
  const std::vector<TrainingRow> asked = {{.nodes = 8, .devices = 32, .batch = 32}};
  const MeasuredRow device = measured(1, 1, 32, 0.1);
  const MeasuredRow node = measured(1, 4, 32, 0.104);
  const auto forecast_with = [&](std::vector<MeasuredRow> rows) {
    return forecast_rows(kNode, job, {.own = std::move(rows)}, {}, asked).front();
  };

  const StepForecast without = forecast_with({device, node});
  const StepForecast slow = forecast_with({device, node, measured(4, 16, 32, 0.16)});
  const StepForecast fast = forecast_with({device, node, measured(4, 16, 32, 0.12)});

  CHECK(slow.step_s > without.step_s);
  CHECK(fast.step_s < without.step_s);
  CHECK(std::log(slow.high_s / slow.low_s) < std::log(without.high_s / without.low_s));
}

TEST_CASE("the device's data sheet divides a row of several nodes", "[throughput]") {
  const std::vector<TrainingRow> asked = {{.nodes = 8, .devices = 32, .batch = 8}};
  const auto forecast_with = [&](double device_sample_s) {
    TrainingJob job = job_with(GradientOverlap::none);
    job.device_sample_s = device_sample_s;
    return forecast_rows(kNode, job, {.own = {measured(2, 8, 32, 0.1)}}, {}, asked).front();
  };

  // A fast device: the row is mostly an exchange, which a smaller batch does not shorten.
  const StepForecast fast = forecast_with(0.3e-3);
  const StepForecast slow = forecast_with(2.5e-3);

  CHECK(fast.step_s > 1.15 * slow.step_s);
  CHECK(std::log(slow.high_s / slow.low_s) > 0.2);
}

TEST_CASE("a shaped link slows a row that states it", "[throughput]") {
  const MeasuredRows rows = {.own = {measured(1, 1, 32, 0.1)}};
  TrainingRow row = {.nodes = 4, .devices = 4, .batch = 32};
  NodeFigures node = {.network_bytes_per_s = 2.5e9, .transport = Transport::tcp};
  const TrainingJob job = job_with(GradientOverlap::none);
  // The same share of a shaped link as of the whole network.
  const MeasuredRates rates = {.network_bytes_per_s = 2e9, .network_hop_s = 35e-6};
  const double whole = forecast_rows(node, job, rows, rates, {row}).front().step_s;
  row.network_bytes_per_s = 0.25e9;

  const double shaped = forecast_rows(node, job, rows, rates, {row}).front().step_s;

  const double ring_bytes = 1.5 * 100e6;
  CHECK(shaped - whole == Approx(ring_bytes / 0.2e9 - ring_bytes / 2e9).epsilon(1e-3));
}

TEST_CASE("a forecast needs a measured row", "[throughput]") {
  CHECK_THROWS_WITH(
      forecast_rows(kNode, job_with(GradientOverlap::none), {}, {}, {{.nodes = 2, .devices = 8}}),
      "expected at least one measured row");
}

}  // namespace
}  // namespace epochcast::tests
