// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/network_fit.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/calibration.hpp"
#include "base/error.hpp"
#include "core/formats/platform.hpp"
#include "tests/analysis/calibrate/message_traces.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

// Two protocols: 10 us + 1 GB/s, and from 64 KiB on 200 us + 4 GB/s.
double two_protocols_s(double bytes) {
  return bytes < 65536 ? 10e-6 + bytes / 1e9 : 200e-6 + bytes / 4e9;
}

std::vector<MessagePoint> points_of(double (*seconds)(double)) {
  std::vector<MessagePoint> points;
  for (double bytes = 4; bytes <= 1 << 26; bytes *= 4)
    points.push_back(
        {.bytes = bytes, .seconds = seconds(bytes), .relative_spread = 0.01, .samples = 1});
  return points;
}

TEST_CASE(
    "the line has the latency and bandwidth of its points, with and without noise of a percent") {
  const MessageRegime exact = fit_line(points_of([](double bytes) { return 10e-6 + bytes / 1e9; }));
  CHECK(exact.from_bytes == 0);
  CHECK(exact.latency_s == Approx(10e-6).epsilon(1e-9));
  CHECK(exact.bytes_per_s == Approx(1e9).epsilon(1e-9));

  const MessageRegime noisy = fit_line(points_of([](double bytes) {
    const double noise = static_cast<std::int64_t>(bytes) % 3 == 1 ? 0.007 : -0.007;
    return (10e-6 + bytes / 1e9) * (1 + noise);
  }));
  CHECK(noisy.latency_s == Approx(10e-6).epsilon(0.01));
  CHECK(noisy.bytes_per_s == Approx(1e9).epsilon(0.01));
}

TEST_CASE("the line through two protocols has no negative latency and lies between them") {
  const MessageRegime line = fit_line(points_of(two_protocols_s));
  CHECK(line.latency_s >= 10e-6);
  CHECK(line.latency_s <= 200e-6);
  CHECK(line.bytes_per_s >= 1e9);
  CHECK(line.bytes_per_s <= 4e9);

  const MessageRegime late = fit_line(
      points_of([](double bytes) { return bytes < 1e6 ? bytes / 1e9 : bytes / 1e8 - 8e-3; }));
  CHECK(late.latency_s == 0);
  CHECK(late.bytes_per_s > 1e8);
}

TEST_CASE("a fast smallest message does not determine the bandwidth of large ones") {
  const auto seconds = [](double bytes) { return bytes < 5 ? 1e-6 : 10e-6 + bytes / 1e9; };
  const MessageRegime line = fit_line(points_of(seconds));

  CHECK(line.bytes_per_s == Approx(1e9).epsilon(1e-9));
}

TEST_CASE("of fewer than three large sizes, all sizes determine the bandwidth") {
  const MessageRegime line = fit_line({{.bytes = 4096, .seconds = 10e-6 + 4096 / 1e9},
                                       {.bytes = 65536, .seconds = 10e-6 + 65536 / 1e9}});

  CHECK(line.latency_s == Approx(10e-6).epsilon(1e-9));
  CHECK(line.bytes_per_s == Approx(1e9).epsilon(1e-9));
}

TEST_CASE("large messages of the tutorial's measurement fit their line") {
  MessageTrace trace = load_message_trace(EPOCHCAST_SOURCE_DIR "/docs/tutorial/two-machines.json");
  const auto worst_error = [](const std::vector<FitPoint>& points) {
    double worst = 0;
    for (const FitPoint& point : points) {
      if (point.bytes >= kLargeMessageBytes) worst = std::max(worst, std::abs(point.error()));
    }
    return worst;
  };
  CHECK(worst_error(fit_network(trace).between->ring_step) < 0.02);

  // Of ping-pongs, 64 KiB fit into the buffers of the link by half.
  trace.costs.erase(std::remove_if(trace.costs.begin(),
                                   trace.costs.end(),
                                   [](const auto& cost) { return cost.kind == "ring-step"; }),
                    trace.costs.end());
  CHECK(worst_error(fit_network(trace).between->ping_pong) < 0.05);
}

TEST_CASE("ping-pongs are compared with the line of ring steps") {
  const NetworkFit fit =
      fit_network(message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                                   [](double bytes) { return 30e-6 + bytes / 5e8; }));

  CHECK(fit.between->ping_pong.back().fitted_s ==
        Approx(30e-6 + fit.between->ping_pong.back().bytes / 5e8).epsilon(1e-9));
}

TEST_CASE("one size gives a bandwidth and no latency") {
  const MessageRegime line = fit_line({{.bytes = 1e6, .seconds = 1e-3}});
  CHECK(line.latency_s == Approx(0).margin(1e-15));
  CHECK(line.bytes_per_s == Approx(1e9).epsilon(1e-12));
}

TEST_CASE("no line is faster than the link") {
  // A size that happens to be slow, and one at which this is hidden: the line between them would
  // rise slowly.
  std::vector<MessagePoint> points = points_of([](double bytes) { return bytes / 1e9; });
  points[7].seconds *= 1.6;

  CHECK(fit_line(points, 1e9).bytes_per_s <= 1e9 * (1 + 1e-9));
}

TEST_CASE("two sizes that take the same time by chance do not give an infinite bandwidth") {
  std::vector<MessagePoint> points = points_of([](double bytes) { return bytes / 1e9; });
  MessagePoint larger = points.back();
  larger.bytes *= 1.2;
  larger.seconds *= 0.95;
  points.push_back(larger);

  CHECK(fastest_of(points) == Approx(1e9 * 1.2 / 0.95));
}

TEST_CASE("the expected time of a message includes its tail, but no stalls of the machine") {
  CHECK(expected_s({1, 1, 1, 1.4}) == Approx(1.1));
  CHECK(expected_s({1, 1, 1, 1, 1, 50}) == Approx(1));
  CHECK(expected_s({1, 2, 3, 4, 5, 6, 7, 8, 9}) == Approx(5));
  // Two of eight are not outliers.
  CHECK(expected_s({1, 1, 1, 1, 1, 1, 50, 50}) == Approx(106.0 / 8));
  CHECK(expected_s({}) == 0);
}

TEST_CASE("sessions have equal weights, and their deviation from the fit is its uncertainty") {
  MessageTrace trace = message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                                        [](double bytes) { return 0.9 * (30e-6 + bytes / 5e8); });
  MessageTrace later = message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                                        [](double bytes) { return 1.1 * (30e-6 + bytes / 5e8); });
  for (MessageCost& cost : later.costs) {
    cost.session = 1;
    cost.samples_s.assign(7, cost.samples_s.front());
    trace.costs.push_back(cost);
  }

  const NetworkFit fit = fit_network(trace);

  CHECK(fit.between->costs.message_s(1e6) == Approx(30e-6 + 1e6 / 5e8).epsilon(1e-9));
  CHECK(fit.between->costs.uncertainty ==
        Approx(std::hypot(std::log(0.9), std::log(1.1)) / std::sqrt(2)).epsilon(1e-9));
  CHECK(fit.between->stalls == 0);
}

TEST_CASE("the fit of collectives uses ring steps, not ping-pongs") {
  const NetworkFit fit =
      fit_network(message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                                   [](double bytes) { return 30e-6 + bytes / 5e8; }));

  REQUIRE(fit.between);
  CHECK_FALSE(fit.node);
  CHECK(fit.between->costs.message_s(1e6) == Approx(30e-6 + 1e6 / 5e8).epsilon(1e-9));
  CHECK(fit.between->bytes_per_s == Approx(5e8).epsilon(1e-9));
  CHECK(fit.reduce_bytes_per_s == Approx(4e9).epsilon(1e-12));
}

TEST_CASE("a calibrated platform forecasts all-reduces that are not part of the fit") {
  MessageTrace trace = message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                                        [](double bytes) { return 30e-6 + bytes / 5e8; });
  // 2(P-1) rounds with a quarter each, and half of them add at 4 GB/s.
  const double expected_s = 6 * (30e-6 + 1e6 / 5e8) + 3 * 1e6 / 4e9;
  trace.costs.push_back({.kind = "all-reduce",
                         .scope = "all",
                         .algorithm = "ring",
                         .bytes = 4'000'000,
                         .samples_s = {2 * expected_s}});
  const Platform platform =
      calibrated_platform(platform_of_trace(trace, std::vector<std::string>(4, "cpu")),
                          fit_network(trace),
                          trace.source);

  const std::vector<AllReduceCheck> checks = check_all_reduces(platform, trace);

  REQUIRE(checks.size() == 1);
  CHECK(checks[0].forecast_s == Approx(expected_s).epsilon(1e-5));  // six digits in the file
  CHECK(checks[0].error() == Approx(-0.5).epsilon(1e-4));
  // With this error, the uncertainty of messages is as large.
  CHECK(fit_network(trace).between->costs.uncertainty == Approx(0).margin(1e-9));
  const MessageCosts costs = calibrate(trace).fit.between->costs;
  CHECK(costs.uncertainty == Approx(std::log(2)).epsilon(1e-4));
  // The measured one, and three larger ones in proportion to it.
  REQUIRE(costs.all_reduces.size() == 4);
  CHECK_FALSE(costs.all_reduces[0].is_extrapolated);
  for (const std::size_t i : {1, 2, 3}) {
    const MeasuredAllReduce& larger = costs.all_reduces[i];
    CHECK(larger.is_extrapolated);
    CHECK(larger.bytes == std::pow(4, i) * costs.all_reduces[0].bytes);
    CHECK(larger.measured_s / larger.bytes ==
          Approx(costs.all_reduces[0].measured_s / costs.all_reduces[0].bytes).epsilon(1e-5));
  }
  CHECK(costs.all_reduces[0].measured_s == Approx(2 * expected_s).epsilon(1e-5));
  CHECK(costs.all_reduces[0].forecast_s == Approx(expected_s).epsilon(1e-5));
  CHECK(costs.all_reduces[0].ranks == 4);
  CHECK(costs.all_reduces[0].deviation == 0);  // of equal samples
}

TEST_CASE("links differ if messages differ regardless of load") {
  const auto trace_with_hub = [](double slow_s, double least_s) {
    MessageTrace trace = message_trace_of([](double bytes) { return 1e-6 + bytes / 1e9; },
                                          [](double bytes) { return 1e-6 + bytes / 5e8; });
    for (int node = 0; node < 4; ++node) {
      std::vector<double> samples_s(10, 1e-3);
      if (node == 2) samples_s.assign(10, slow_s);
      samples_s[4] = node == 2 ? least_s : 1e-3;
      trace.costs.push_back({.kind = "hub-step",
                             .scope = "between",
                             .nodes = {node},
                             .bytes = 1'000'000,
                             .samples_s = samples_s});
    }
    return trace;
  };
  CHECK(fit_network(trace_with_hub(1e-3, 1e-3)).link_bytes_per_s.empty());
  // Load slows down most messages of a node, but not all.
  CHECK(fit_network(trace_with_hub(1.3e-3, 1e-3)).link_bytes_per_s.empty());
  CHECK(fit_network(trace_with_hub(1.3e-3, 1.3e-3)).link_bytes_per_s.size() == 4);
}

TEST_CASE("errors for the library's own all-reduces do not affect the uncertainty of messages") {
  MessageTrace trace = message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                                        [](double bytes) { return 10e-6 + bytes / 1e9; });
  trace.costs.push_back({.kind = "all-reduce",
                         .scope = "all",
                         .algorithm = "openmpi",
                         .bytes = 64'000'000,
                         .samples_s = {1}});

  const Calibration calibration = calibrate(trace);

  REQUIRE(calibration.checks.size() == 1);
  CHECK(calibration.checks[0].error() < -0.5);
  CHECK(calibration.fit.between->costs.uncertainty == Approx(0).margin(1e-6));
}

TEST_CASE("a trace with too few sizes is refused") {
  MessageTrace trace = message_trace_of([](double) { return 1e-6; }, [](double) { return 1e-6; });
  trace.costs.resize(4);

  CHECK_THROWS_WITH(fit_network(trace),
                    "t.json: has messages of 2 sizes (between); expected at least 3");
}

}  // namespace
}  // namespace epochcast::tests
