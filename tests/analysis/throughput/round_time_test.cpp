// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/round_time.hpp"

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr double kNetworkBytesPerS = 1e9;

/// Four peers at one site that collect 1000 samples in 10 s: 25 samples/s each.
AskedRound local_round() {
  return {.target = 1000,
          .parameters = 1e6,
          .gradient_bytes = 200e6,
          .optimizer_bytes_per_parameter = 20e3,  // 1 s at 20 GB/s
          .peers = {{.count = 4, .samples_per_s = 50, .slowdown = 2, .site = "us"}},
          .links = {{.one = "us", .other = "us", .bytes_per_s = 1e9, .latency_s = 0}}};
}

double seconds_of(const AskedRound& round) {
  return forecast_rounds(kNetworkBytesPerS, {round}).front().step_s;
}

TEST_CASE("a round collects at the peers' joint rate, then exchanges and steps", "[throughput]") {
  const AskedRound round = local_round();

  // A host passes 200 MB/s on: three quarters of 200 MB, twice.
  CHECK(seconds_of(round) == Approx(10 + 2 * 0.75 + 1));
}

TEST_CASE("delayed updates hide the exchange behind the next round", "[throughput]") {
  AskedRound round = local_round();
  round.is_delayed = true;

  CHECK(seconds_of(round) == Approx(10 + 0.08 * 2.5));
  round.target = 100;  // 1 s of collecting
  CHECK(seconds_of(round) == Approx(2.5));
  round.matchmaking_s = 5;
  CHECK(seconds_of(round) == Approx(5));
}

TEST_CASE("the slowest connection between sites counts", "[throughput]") {
  AskedRound round = local_round();
  round.peers.push_back({.count = 1, .samples_per_s = 50, .slowdown = 2, .site = "eu"});
  round.links.push_back({.one = "eu", .other = "us", .bytes_per_s = 10e6, .latency_s = 0.1});

  // A fifth of 200 MB, twice, at 9 MB/s; the site in Europe has one peer and needs no link inside.
  CHECK(seconds_of(round) == Approx(8 + 2 * (40.0 / 9 + 0.1) + 1));
}

TEST_CASE("sites without a link are an error", "[throughput]") {
  AskedRound round = local_round();
  round.links.clear();

  CHECK_THROWS_WITH(seconds_of(round), "links: expected one between us and us");
}

TEST_CASE("what collecting costs widens the interval", "[throughput]") {
  AskedRound round = local_round();
  round.gradient_bytes = 1e3;
  round.optimizer_bytes_per_parameter = 20;
  const StepForecast slowed = forecast_rounds(kNetworkBytesPerS, {round}).front();
  round.peers.front().slowdown = 1;
  const StepForecast plain = forecast_rounds(kNetworkBytesPerS, {round}).front();

  CHECK(slowed.low_s < slowed.step_s);
  CHECK(slowed.step_s < slowed.high_s);
  CHECK(slowed.high_s / slowed.low_s > 1.5 * plain.high_s / plain.low_s);
}

}  // namespace
}  // namespace epochcast::tests
