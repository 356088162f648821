// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/round_time.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace epochcast {
namespace {

constexpr double kConnectionShare = 0.9;
// Half-precision numbers, serialised and added by processes of the host; assumed.
constexpr double kHostShare = 0.5;
constexpr double kMostHostBytesPerS = 200e6;
constexpr double kHostMemoryBytesPerS = 20e9;
// Computing while an exchange is hidden.
constexpr double kOverlapSlowdown = 0.08;
// Standard deviations of assumptions, as factors.
constexpr double kSlowdownFactor = 1.6;
constexpr double kExchangeFactor = 2;
constexpr double kMatchmakingFactor = 2;
constexpr double kUnhiddenShare = 0.25;
constexpr double kRoundError = 0.07;

/// Assumptions about a round, beside its figures.
struct RoundAssumptions {
  double slowdown_factor = 1;  ///< of the time that collecting adds
  double exchange_factor = 1;
  double matchmaking_factor = 1;
  double unhidden_share = 0;  ///< of an exchange that could overlap
};

const SiteLink& link_between(const AskedRound& round,
                             const std::string& one,
                             const std::string& other) {
  for (const SiteLink& link : round.links) {
    if ((link.one == one && link.other == other) || (link.one == other && link.other == one))
      return link;
  }
  throw UserError("links: expected one between " + one + " and " + other);
}

int peer_count(const AskedRound& round) {
  int count = 0;
  for (const RoundPeers& peers : round.peers) count += peers.count;
  return count;
}

/// Seconds in which all peers have the mean gradient and have made a step.
double update_s(double network_bytes_per_s, const AskedRound& round) {
  const double optimizer_s =
      round.parameters * round.optimizer_bytes_per_parameter / kHostMemoryBytesPerS;
  const int peers = peer_count(round);
  if (peers < 2) return optimizer_s;
  const double part = round.gradient_bytes / peers;
  const double host_bytes_per_s = std::min(kHostShare * network_bytes_per_s, kMostHostBytesPerS);
  double phase_s = (peers - 1) * part / host_bytes_per_s;
  for (std::size_t one = 0; one < round.peers.size(); ++one) {
    for (std::size_t other = one; other < round.peers.size(); ++other) {
      if (one == other && round.peers[one].count < 2) continue;
      const SiteLink& link = link_between(round, round.peers[one].site, round.peers[other].site);
      phase_s = std::max(phase_s, part / (kConnectionShare * link.bytes_per_s) + link.latency_s);
    }
  }
  return 2 * phase_s + optimizer_s;
}

double round_s(double network_bytes_per_s,
               const AskedRound& round,
               const RoundAssumptions& assumptions) {
  double samples_per_s = 0;
  for (const RoundPeers& peers : round.peers) {
    samples_per_s += peers.count * peers.samples_per_s /
                     (1 + assumptions.slowdown_factor * (peers.slowdown - 1));
  }
  const double collect_s = round.target / samples_per_s;
  const double updating_s = assumptions.exchange_factor * update_s(network_bytes_per_s, round);
  if (!round.is_delayed) return collect_s + updating_s;
  const double hidden_s = std::min(updating_s, collect_s);
  const double collecting_s =
      collect_s + (kOverlapSlowdown + assumptions.unhidden_share) * hidden_s;
  return std::max({collecting_s, updating_s, assumptions.matchmaking_factor * round.matchmaking_s});
}

}  // namespace

std::vector<StepForecast> forecast_rounds(double network_bytes_per_s,
                                          const std::vector<AskedRound>& asked) {
  const RoundAssumptions usual;
  std::vector<StepForecast> forecasts;
  for (const AskedRound& round : asked) {
    const double usual_s = round_s(network_bytes_per_s, round, usual);
    double faster = kRoundError * kRoundError;
    double slower = faster;
    const auto vary = [&](double RoundAssumptions::*which, double one, double other) {
      RoundAssumptions up = usual;
      RoundAssumptions down = usual;
      up.*which = one;
      down.*which = other;
      const double up_change = std::log(round_s(network_bytes_per_s, round, up) / usual_s);
      const double down_change = std::log(round_s(network_bytes_per_s, round, down) / usual_s);
      faster += std::pow(std::min({0.0, up_change, down_change}), 2);
      slower += std::pow(std::max({0.0, up_change, down_change}), 2);
    };
    vary(&RoundAssumptions::slowdown_factor, kSlowdownFactor, 1 / kSlowdownFactor);
    vary(&RoundAssumptions::exchange_factor, kExchangeFactor, 1 / kExchangeFactor);
    vary(&RoundAssumptions::matchmaking_factor, kMatchmakingFactor, 1 / kMatchmakingFactor);
    vary(&RoundAssumptions::unhidden_share, kUnhiddenShare, 0);
    forecasts.push_back({.step_s = usual_s,
                         .low_s = usual_s / std::exp(k90PercentDeviations * std::sqrt(faster)),
                         .high_s = usual_s * std::exp(k90PercentDeviations * std::sqrt(slower))});
  }
  return forecasts;
}

}  // namespace epochcast
