// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/calibrate/message_points.hpp"
#include "core/costs/message_costs.hpp"
#include "core/formats/message_trace.hpp"

namespace epochcast {

/// One measured size and what a fit says of it.
struct FitPoint {
  double bytes = 0;
  double measured_s = 0;  ///< expected_s() of the samples
  double fitted_s = 0;

  [[nodiscard]] double error() const { return fitted_s / measured_s - 1; }
};

/// Messages of one scope.
///
/// `costs` come from ring steps, in which every rank sends and receives as it does in a round of a
/// collective: what the other direction of a link, shared cores and memory take is in them. Without
/// ring steps they come from ping-pongs.
struct ScopeFit {
  MessageCosts costs;
  double bytes_per_s = 0;           ///< of a worker's or node's link, in one direction
  std::vector<FitPoint> ping_pong;  ///< with a fit of their own, to be compared
  std::vector<FitPoint> ring_step;  ///< fitted by `costs`
  std::size_t stalls = 0;           ///< samples that count nowhere, see expected_s()
};

/// What a message trace says of a machine. Scopes that were not measured are absent.
struct NetworkFit {
  std::optional<ScopeFit> node;
  std::optional<ScopeFit> between;
  /// What each node's link gives in one direction, where it was measured and links differ by more
  /// than kEqualLinks; else empty.
  std::vector<double> link_bytes_per_s = {};
  double reduce_bytes_per_s = 0;  ///< γ⁻¹ with all ranks at it; 0: not measured
};

/// Fits what the simulator needs; all-reduces of the trace are not looked at, so that the fit can
/// be checked against them. What is measured but not beyond doubt is told in the costs' notes.
/// Throws a UserError when the trace lacks what it takes, or says nothing of a link: impossible
/// times, no messages large enough to show its bandwidth.
[[nodiscard]] NetworkFit fit_network(const MessageTrace& trace);

/// Latency and bandwidth of the line with the least sum of squared relative errors, each weighted
/// by how much its samples vary: no negative latency, a bandwidth up to `fastest` bytes per second.
/// `points` is not empty.
[[nodiscard]] MessageRegime fit_line(const std::vector<MessagePoint>& points,
                                     double fastest = 1e12);

/// Bandwidth of a link in bytes per second: the most that a large message gets. No fitted line may
/// be faster, since no simulated message is. `points` as above.
[[nodiscard]] double fastest_of(const std::vector<MessagePoint>& points);

}  // namespace epochcast
