// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/throughput/exchange_time.hpp"

namespace epochcast {

/// The time of a step beside its exchange.
struct StepCost {
  /// A batch takes `fixed_s + per_sample_s * batch`.
  double fixed_s = 0;
  double per_sample_s = 0;
  /// Once per step: the optimizer.
  double optimizer_s = 0;
  /// Of a full node beyond one device and the modelled exchange: contention, loading, noise of its
  /// devices.
  double node_extra_s = 0;
  /// Whether it follows from the job's own figures, since no full node was measured.
  bool is_node_assumed = true;
  /// Of each message beyond its bytes and hops, such as a scheduler's work.
  double message_s = 0;
  /// A node's input pipeline, samples/s; 0: no limit.
  double loaded_samples_per_s = 0;
  /// Fitted to rows; absent: those of StepAssumptions.
  std::optional<double> variation = {};
  std::optional<double> hiding_share = {};
  /// Of the assumed rates inside a node and between nodes.
  double node_rate_share = 1;
  double network_rate_share = 1;
};

/// Causes that slow a node that loses much of its devices' rates, if an exchange does not explain
/// it: an input pipeline, which all devices of a node share, or copies between its devices.
enum class NodeLimit { loading, copies };

/// General figures that rows rarely determine; docs/simulator.md has their sources.
struct StepAssumptions {
  /// Standard deviation of a device's batch, as a share of it.
  double variation = 0.018;
  /// Computing is slower by this share while an exchange is hidden behind it.
  double overlap_slowdown = 0.08;
  /// The share of backward that can hide an exchange, and of a job with unknown overlap that
  /// overlaps.
  double hiding_share = 0.85;
  double overlapping_share = 0.5;
  /// A scheduler of priorities' work for each message; a row of a full node replaces it.
  double scheduler_s = 0;
  /// Loss of a full node above which `node_limit` counts; less is an extra time of every node.
  /// Input is the usual limit: all devices wait for it at once, contention alone costs single
  /// percents.
  double limited_loss = 0.3;
  NodeLimit node_limit = NodeLimit::loading;
  ReachedRates rates;
  /// Standard deviations of rates inside a node and between nodes, as factors.
  double node_rate_factor = 1.25;
  double network_rate_factor = 1.2;
};

/// Seconds of one optimizer step of `row`: its micro-batches with the slowest of P devices (sqrt(2
/// ln P) deviations), the part of the exchange that backward (two thirds of a batch) does not hide,
/// and the optimizer.
[[nodiscard]] double step_s(const NodeFigures& node,
                            const TrainingJob& job,
                            const StepAssumptions& assumptions,
                            const StepCost& cost,
                            const TrainingRow& row);

/// The most probable maximum of `workers` standard normal samples, sqrt(2 ln P); 0 for one.
[[nodiscard]] double slowest_deviations(double workers);

}  // namespace epochcast
