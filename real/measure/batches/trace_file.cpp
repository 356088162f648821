// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/trace_file.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace epochcast::real {
namespace {

CostTrace cost_trace(const NetworkCosts& costs) {
  CostTrace trace;
  trace.network = network_name(costs.network);
  trace.input = costs.input;
  trace.backward_layers = costs.backward_layers;
  trace.overlap = costs.overlap;
  trace.kernels = costs.kernels;
  for (const BatchCosts& batch : costs.batches) {
    BatchSamples samples;
    samples.batch = batch.batch;
    samples.rank = batch.rank;
    for (const BatchTiming& timing : batch.samples) {
      samples.total_s.push_back(timing.batch_s());
      samples.load_s.push_back(timing.load_s);
      samples.forward_s.push_back(timing.forward_s);
      samples.backward_s.push_back(timing.backward_s);
      samples.step_s.push_back(timing.step_s);
    }
    trace.batches.push_back(std::move(samples));
  }
  return trace;
}

}  // namespace

TraceFile make_trace(TraceFile header, std::span<const NetworkCosts> costs, Precision precision) {
  for (const NetworkCosts& cost : costs) {
    header.costs.push_back(rounded(cost_trace(cost)));
    header.costs.back().device = header.device;
    header.costs.back().precision = precision;
    header.costs.back().source = header.source;
  }
  return header;
}

std::string sampling_note(const MeasureSettings& settings, std::span<const NetworkCosts> costs) {
  const SamplingRule& rule = settings.rule;
  std::int64_t kept = 0;
  std::int64_t dropped = 0;
  std::int64_t preempted = 0;
  for (const NetworkCosts& cost : costs) {
    for (const BatchCosts& batch : cost.batches) {
      kept += static_cast<std::int64_t>(batch.samples.size());
      dropped += batch.dropped;
      preempted += batch.preempted;
    }
  }
  std::ostringstream note;
  note << kept << " batches kept after " << rule.warmup
       << " of warm-up per point, until the 95 % confidence "
       << "interval of the median was within " << 100 * rule.confidence_width << " % (at least "
       << rule.min_samples << " batches; at most " << rule.max_samples << ", or " << rule.max_s
       << " s)";
  if (rule.detects_preemption) {
    const std::int64_t disturbed = rule.drop_preempted ? dropped : preempted;
    note << "; " << disturbed << (rule.drop_preempted ? " more were" : " of them were")
         << " preempted (wall time more than " << 100 * rule.preempted_excess
         << " % over CPU time) and " << (rule.drop_preempted ? "measured again" : "kept");
  }
  if (settings.ranks > 1)
    note << "; " << settings.ranks
         << " ranks at the same time, each computing until all had enough";
  if (settings.layers_batch > 0) note << "; backward_layers at batch " << settings.layers_batch;
  note << "; optimizer " << settings.optimizer.name << ", " << settings.data_title;
  if (!settings.precision_note.empty()) note << "; " << settings.precision_note;
  return note.str();
}

}  // namespace epochcast::real
