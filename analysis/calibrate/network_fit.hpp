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

/// One measured size and its fitted time.
struct FitPoint {
  double bytes = 0;
  double measured_s = 0;  ///< expected_s() of the samples
  double fitted_s = 0;

  [[nodiscard]] double error() const { return fitted_s / measured_s - 1; }
};

/// Messages of one scope.
///
/// `costs` come from ring steps, in which every rank sends and receives as in a round of a
/// collective: they include the cost of the opposite direction, of shared cores and of memory.
/// Without ring steps they come from ping-pongs.
struct ScopeFit {
  MessageCosts costs;
  double bytes_per_s = 0;           ///< of a worker's or node's link, in one direction
  std::vector<FitPoint> ping_pong;  ///< by `costs`, to be compared
  std::vector<FitPoint> ring_step;  ///< by `costs`
  std::size_t stalls = 0;           ///< excluded samples, see expected_s()
};

/// The fitted costs of a message trace. Scopes without measurements are absent.
struct NetworkFit {
  std::optional<ScopeFit> node;
  std::optional<ScopeFit> between;
  /// The bandwidth of each node's link in one direction, if measured and if links differ by more
  /// than kEqualLinks; else empty.
  std::vector<double> link_bytes_per_s = {};
  double reduce_bytes_per_s = 0;  ///< γ⁻¹ while all ranks reduce; 0: not measured
};

/// Fits the costs for the simulator; the trace's all-reduces are not used, so the fit can be
/// checked against them. Doubtful measurements become notes of the costs. Throws a UserError for
/// traces with too few measurements, impossible times, or no messages large enough to show the
/// bandwidth.
[[nodiscard]] NetworkFit fit_network(const MessageTrace& trace);

/// Latency and bandwidth of messages: the bandwidth of the line through those of kLargeMessageBytes
/// or more (of fewer than three such sizes: through all), up to `fastest` bytes per second; with
/// it, the latency of all, not negative. Both have the least sum of squared relative errors, each
/// weighted by the inverse spread of its samples. `points` is not empty.
[[nodiscard]] MessageRegime fit_line(const std::vector<MessagePoint>& points,
                                     double fastest = 1e12);

/// Bandwidth of a link in bytes per second: the highest of any large message. It limits the fitted
/// lines, as it limits simulated messages. `points` as above.
[[nodiscard]] double fastest_of(const std::vector<MessagePoint>& points);

}  // namespace epochcast
