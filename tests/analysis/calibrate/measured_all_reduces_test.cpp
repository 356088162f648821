// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/measured_all_reduces.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/calibrate/calibration.hpp"
#include "tests/analysis/calibrate/message_traces.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// Messages among four nodes, whose ring steps take 30 us + 500 MB/s.
MessageTrace four_nodes() {
  return message_trace_of([](double bytes) { return 10e-6 + bytes / 1e9; },
                          [](double bytes) { return 30e-6 + bytes / 5e8; });
}

TEST_CASE("of all-reduces of several sessions the mean counts, and how far they are apart") {
  MessageTrace trace = four_nodes();
  for (int session = 0; session < 2; ++session) {
    for (const char* algorithm : {"ring", "binary-tree"}) {
      trace.costs.push_back({.kind = "all-reduce",
                             .scope = "all",
                             .algorithm = algorithm,
                             .bytes = 4'000'000,
                             .samples_s = {session == 0 ? 0.01 : 0.02},
                             .session = session});
    }
  }

  const MessageCosts costs = calibrate(trace).fit.between->costs;

  REQUIRE(costs.all_reduces.size() == 8);
  const MeasuredAllReduce& tree = costs.all_reduces[4];
  CHECK(tree.algorithm == "binary-tree");
  CHECK(tree.measured_s == Approx(0.015).epsilon(1e-6));
  // Between two sessions ln 2 / sqrt(2), and 1 / sqrt(2) of that for their mean; in a job 0.015.
  const double of_run = std::hypot(std::log(2) / std::sqrt(2) * std::sqrt(1.5), 0.015);
  CHECK(tree.deviation == Approx(of_run).epsilon(1e-5));
  CHECK(costs.all_reduces[0].forecast_s != tree.forecast_s);
}

TEST_CASE("members are in an all-reduce as long as measured, of what its messages say") {
  MessageTrace trace = four_nodes();
  for (int session = 0; session < 2; ++session) {
    for (const char* algorithm : {"ring", "binary-tree", "linear"}) {
      const bool is_told = std::string(algorithm) != "linear";
      trace.costs.push_back({.kind = "all-reduce",
                             .scope = "all",
                             .algorithm = algorithm,
                             .bytes = 4'000'000,
                             .samples_s = {0.025},
                             .member_share = is_told ? 0.8 + 0.1 * session : 0,
                             .session = session});
    }
  }

  const Calibration calibration = calibrate(trace);
  const MessageCosts& costs = calibration.fit.between->costs;
  const auto told = [&](const std::string& algorithm) {
    for (const AllReduceCheck& check : calibration.checks) {
      if (check.all_reduce.algorithm == algorithm) return check.member_share;
    }
    return 0.0;
  };

  // Around a ring all are in it to the end; of a tree some messages arrive earlier than others.
  CHECK(told("ring") == Approx(1));
  CHECK(costs.member_share("ring", 4e6, 4) == Approx(0.85));
  CHECK(costs.member_share("ring", 64e6, 4) == Approx(0.85));
  CHECK(told("binary-tree") < 1);
  CHECK(costs.member_share("binary-tree", 4e6, 4) ==
        Approx(std::min(1.0, 0.85 / told("binary-tree"))).epsilon(1e-5));
  CHECK(costs.member_share("linear", 4e6, 4) == 1);
}

TEST_CASE("what the library's all-reduce takes where members come late is kept beside it") {
  MessageTrace trace = four_nodes();
  const auto add = [&trace](const std::string& kind, std::int64_t bytes, double times_as_long) {
    trace.costs.push_back({.kind = kind,
                           .scope = "all",
                           .algorithm = "openmpi",
                           .bytes = bytes,
                           .samples_s = {times_as_long * static_cast<double>(bytes) / 1e8}});
  };
  for (const std::int64_t bytes : {4096, 4'000'000, 64'000'000}) add("all-reduce", bytes, 1);
  add("late", 4'000'000, 1.15);

  const MessageCosts costs = calibrate(trace).fit.between->costs;
  const auto together = [&](double bytes) { return costs.measured_factor("openmpi", bytes, 4); };
  const auto late = [&](double bytes) {
    return costs.measured_factor("openmpi", bytes, 4, Turns::many);
  };

  CHECK(late(4096) == together(4096));
  CHECK(late(4e6) == Approx(1.15 * together(4e6)).epsilon(1e-4));
  // Larger ones, which take too long to be measured again, take as many times what messages say.
  CHECK(late(64e6) == Approx(late(4e6)).epsilon(1e-4));
  CHECK(late(256e6) == Approx(late(4e6) * together(256e6) / together(64e6)).epsilon(1e-4));
}

}  // namespace
}  // namespace epochcast::tests
