// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/fit_warnings.hpp"

#include <cmath>
#include <functional>

#include "analysis/calibrate/network_fit.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

/// Two nodes of one rank each; ring steps take `seconds` of their size.
MessageTrace trace_with(const std::vector<std::int64_t>& sizes,
                        const std::function<double(double)>& seconds,
                        std::size_t samples = 5) {
  MessageTrace trace;
  trace.file = "t.json";
  trace.node_of_rank = {0, 1};
  for (const std::int64_t bytes : sizes) {
    const double time_s = seconds(static_cast<double>(bytes));
    for (const auto& [kind, scope] : {std::pair("ping-pong", "between"), {"ring-step", "all"}})
      trace.costs.push_back({.kind = kind,
                             .scope = scope,
                             .bytes = bytes,
                             .samples_s = std::vector<double>(samples, time_s)});
  }
  return trace;
}

const std::vector<std::int64_t> kSizes = {4, 4096, 65536, 1 << 20, 1 << 22};

double link_s(double bytes) { return 1e-5 + bytes / 1e9; }

TEST_CASE("a fit from which no bandwidth follows is refused with a hint of what to measure") {
  CHECK_THROWS_WITH(
      fit_network(trace_with(kSizes, [](double) { return 1e-3; })),
      "t.json: messages between nodes take 1.00 ms up to 4.19 MB, whatever their "
      "size; measure larger ones, too, which show the bandwidth of a link, or measure again, on a "
      "quiet machine");
  CHECK_THROWS_WITH(fit_network(trace_with({4, 256, 4096}, link_s)),
                    "t.json: messages between nodes have 4.10 kB at most; expected some of "
                    "65536 B or more, which show the bandwidth of a link");
}

TEST_CASE("impossible times of messages are refused, all at once") {
  MessageTrace trace = trace_with(kSizes, link_s);
  trace.costs[1].samples_s[2] = 0;
  trace.costs[2].samples_s[0] = 1e30;

  CHECK_THROWS_WITH(fit_network(trace),
                    "t.json: a ring-step (all) of 4 B took 0 s; expected times from 1 ns to "
                    "10000 s\n"
                    "t.json: a ping-pong (between) of 4096 B took 1e+30 s; expected times from "
                    "1 ns to 10000 s");
}

TEST_CASE("an uncertainty of a factor of 2.7 is refused, of 1.3 noted") {
  MessageCosts costs;
  costs.uncertainty = 0.24;
  check_uncertainty("t.json", "messages between nodes", costs);
  CHECK(costs.notes.empty());

  costs.uncertainty = 0.4;
  check_uncertainty("t.json", "messages between nodes", costs);
  CHECK(costs.notes ==
        Texts{"messages between nodes are known within a factor of 1.49 only (one standard "
              "deviation): intervals are as wide; measure again, on a quiet machine or with more "
              "samples"});

  costs.uncertainty = 1.2;
  CHECK_THROWS_WITH(check_uncertainty("t.json", "messages between nodes", costs),
                    "t.json: messages between nodes are off by a factor of 3.32 (one standard "
                    "deviation: samples, sessions or all-reduces differ so much); expected 2.72 at "
                    "most; measure again, on a quiet machine or with more samples");
}

TEST_CASE("a fit has notes about doubtful measurements") {
  CHECK(fit_network(trace_with(kSizes, link_s)).between->costs.notes.empty());
  CHECK(fit_network(trace_with(kSizes, link_s, 2)).between->costs.notes ==
        Texts{"messages between nodes of some sizes have one or two samples: how much they vary is "
              "not known"});

  MessageTrace stalled = trace_with(kSizes, link_s, 10);
  for (MessageCost& cost : stalled.costs) cost.samples_s[3] *= 11;
  CHECK(fit_network(stalled).between->costs.notes ==
        Texts{"messages between nodes take 2 times as long with the machine's stalls, which are "
              "left out"});

  CHECK(fit_network(trace_with({1, 4, 16, 64, 256, 4096, 65536, 1 << 20, 1 << 22},
                               [](double bytes) { return bytes == 4096 ? 2e-4 : link_s(bytes); }))
            .between->costs.notes ==
        Texts{"messages between nodes of 65.5 kB take less than half as long as those of 4.10 kB"});
}

TEST_CASE("a fifth of messages that take a hundred times as long are not outliers") {
  MessageTrace trace = trace_with(kSizes, link_s, 10);
  for (MessageCost& cost : trace.costs) cost.samples_s[3] = cost.samples_s[7] *= 100;
  const ScopeFit fit = *fit_network(trace).between;

  CHECK(fit.stalls == 0);
  CHECK(fit.costs.message_s(1 << 20) == Approx((0.8 + 0.2 * 100) * link_s(1 << 20)).epsilon(1e-6));
  // Of two values, one in five times: ln(100) · sqrt(10/9 · 0.2 · 0.8) among ten.
  CHECK(fit.costs.uncertainty ==
        Approx(std::log(100) * std::sqrt(10.0 / 9 * 0.2 * 0.8)).epsilon(1e-6));
}

}  // namespace
}  // namespace epochcast::tests
