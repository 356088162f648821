// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/throughput/row_forecast.hpp"

namespace epochcast {

/// Equal peers at one site that collect gradients of a target batch.
struct RoundPeers {
  int count = 1;
  /// Of plain training, samples/s of one peer.
  double samples_per_s = 0;
  /// The factor by which collecting gradients, without any exchange, makes a sample longer.
  double slowdown = 1;
  std::string site;
};

/// A connection between two peers of these sites, which may be the same.
struct SiteLink {
  std::string one;
  std::string other;
  double bytes_per_s = 0;
  double latency_s = 0;
};

/// A round of large-batch training (Hivemind): peers collect `target` samples at their own pace,
/// then average gradients and make the same step.
struct AskedRound {
  double target = 0;
  double parameters = 0;
  double gradient_bytes = 0;
  /// Memory traffic of the optimizer, on the host.
  double optimizer_bytes_per_parameter = 20;
  /// The least time from one exchange to the next: peers look for each other so long.
  double matchmaking_s = 0;
  /// Whether the exchange and the step overlap the next round.
  bool is_delayed = false;
  std::vector<RoundPeers> peers;
  std::vector<SiteLink> links;
};

/// Seconds of each round. Collecting takes target / sum of the peers' rates. A peer sends its part
/// of the gradients to each other peer, twice (reduce-scatter and all-gather), over a connection of
/// its own to each: the slowest connection counts, or the host that serialises all of a peer's
/// messages. Throws a UserError if two sites have no link.
[[nodiscard]] std::vector<StepForecast> forecast_rounds(double network_bytes_per_s,
                                                        const std::vector<AskedRound>& asked);

}  // namespace epochcast
