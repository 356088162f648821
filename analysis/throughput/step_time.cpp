// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/step_time.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast {
namespace {

constexpr double kBackwardShare = 2.0 / 3;
// Without overlap gradients are packed into messages of this size.
constexpr double kPackedBytes = 512.0 * 1024 * 1024;

double message_count(const TrainingJob& job, GradientOverlap overlap) {
  switch (overlap) {
    case GradientOverlap::none:
      return std::ceil(job.gradient_bytes / kPackedBytes);
    case GradientOverlap::tensor:
      return job.tensors;
    case GradientOverlap::priority:
      return job.tensors + std::floor(job.gradient_bytes / job.bucket_bytes);
    case GradientOverlap::bucket:
    case GradientOverlap::unknown:
      break;
  }
  return std::clamp(
      std::ceil(job.gradient_bytes / job.bucket_bytes), 1.0, static_cast<double>(job.tensors));
}

/// Seconds of an exchange that `window_s` of computing do not hide, and by which it slows that.
double unhidden_s(double whole_s, double window_s, double last_s, double slowdown) {
  const double exposed_s = std::max(last_s, whole_s - window_s);
  return exposed_s + slowdown * (whole_s - std::min(whole_s, exposed_s));
}

/// Seconds that an exchange adds to a batch of `batch_s`.
double added_s(const TrainingJob& job,
               GradientOverlap overlap,
               const StepAssumptions& assumptions,
               const StepCost& cost,
               const TrainingRow& row,
               double batch_s) {
  if (overlap == GradientOverlap::unknown) {
    const double after = added_s(job, GradientOverlap::none, assumptions, cost, row, batch_s);
    const double during = added_s(job, GradientOverlap::bucket, assumptions, cost, row, batch_s);
    return assumptions.overlapping_share * during + (1 - assumptions.overlapping_share) * after;
  }
  ReachedRates rates = assumptions.rates;
  rates.node_bytes_per_s *= cost.node_rate_share;
  rates.network_bytes_per_s *= cost.network_rate_share;
  rates.server_bytes_per_s *= cost.network_rate_share;
  rates.shaped_share *= cost.network_rate_share;
  rates = shaped_rates(rates, row.network_bytes_per_s);
  const double messages = message_count(job, overlap);
  const double whole_s = exchange_s(rates, job.exchange, row, job.gradient_bytes, messages) +
                         (row.devices > 1 ? messages * cost.message_s : 0);
  if (overlap == GradientOverlap::none || whole_s == 0) return whole_s;
  const bool is_next_forward =
      overlap == GradientOverlap::priority || job.exchange == Exchange::peer;
  const double window_s = cost.hiding_share.value_or(assumptions.hiding_share) * batch_s *
                          (is_next_forward ? 1 : kBackwardShare);
  if (job.exchange == Exchange::peer) {
    // Other peers, other links: what one iteration hides is of no use to the next.
    double sum_s = 0;
    const std::vector<double> cycle_s = peer_exchanges_s(rates, row, job.gradient_bytes);
    for (const double each_s : cycle_s)
      sum_s += unhidden_s(each_s, window_s, 0, assumptions.overlap_slowdown);
    return sum_s / static_cast<double>(cycle_s.size());
  }
  // The last message leaves when backward ends. Priorities send the first layers first, whose
  // forward does not wait for it.
  double last_bytes = job.last_gradient_bytes;
  if (overlap == GradientOverlap::bucket)
    last_bytes = std::max(last_bytes, job.gradient_bytes / messages / 2);
  if (is_next_forward) last_bytes = 0;
  const double last_s = last_bytes > 0 ? exchange_s(rates, job.exchange, row, last_bytes, 1) : 0;
  return unhidden_s(whole_s, window_s, last_s, assumptions.overlap_slowdown);
}

}  // namespace

double slowest_deviations(double workers) {
  return workers > 1 ? std::sqrt(2 * std::log(workers)) : 0;
}

double step_s(const NodeFigures& node,
              const TrainingJob& job,
              const StepAssumptions& assumptions,
              const StepCost& cost,
              const TrainingRow& row) {
  if (row.exchange || row.overlap) {
    TrainingJob own = job;
    own.exchange = row.exchange.value_or(job.exchange);
    own.overlap = row.overlap.value_or(job.overlap);
    TrainingRow plain = row;
    plain.exchange = {};
    plain.overlap = {};
    return step_s(node, own, assumptions, cost, plain);
  }
  const double batch_s = cost.fixed_s + cost.per_sample_s * row.batch;
  // Nobody waits for others than its peer.
  const int waiting = job.exchange == Exchange::peer ? std::min(2, row.devices) : row.devices;
  const double variation = cost.variation.value_or(assumptions.variation) *
                           slowest_deviations(waiting) /
                           std::sqrt(row.accumulation / row.exchanges);
  const double sharers = job.is_optimizer_sharded ? std::max(1, row.devices / row.nodes) : 1;
  const double per_node = std::max(1.0, static_cast<double>(row.devices) / row.nodes);
  const double fullness =
      node.devices_per_node > 1 ? std::log2(per_node) / std::log2(node.devices_per_node) : 0;
  const double outer_s =
      row.devices > 1 && node.memory_bytes_per_s > 0
          ? job.outer_bytes_per_parameter * job.parameters / node.memory_bytes_per_s
          : 0;
  double total_s =
      row.accumulation * batch_s * (1 + variation) + cost.optimizer_s / sharers +
      row.exchanges * (added_s(job, job.overlap, assumptions, cost, row, batch_s) + outer_s) +
      fullness * cost.node_extra_s * row.accumulation;
  if (cost.is_node_assumed && row.devices > 1)
    total_s += job.distributed_step_s + job.node_sample_s * row.batch * row.accumulation * per_node;
  if (cost.loaded_samples_per_s > 0) {
    const double samples = row.batch * row.accumulation * per_node;
    total_s = std::max(total_s, samples / cost.loaded_samples_per_s * (1 + variation / 2));
  }
  return total_s;
}

}  // namespace epochcast
