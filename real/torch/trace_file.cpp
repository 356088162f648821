// SPDX-License-Identifier: Apache-2.0
#include "real/torch/trace_file.hpp"

#include <algorithm>
#include <sstream>

#include "core/error.hpp"
#include "real/common/json_text.hpp"

namespace epochcast::real {
namespace {

using Json = nlohmann::ordered_json;

template <typename Phase>
Json sample_list(const BatchCosts& costs, Phase phase) {
  Json list = Json::array();
  for (const BatchTiming& timing : costs.samples) list.push_back(rounded(phase(timing)));
  return list;
}

Json batch_json(const BatchCosts& costs, bool has_ranks) {
  Json json = {{"batch", costs.batch}};
  if (has_ranks) json["rank"] = costs.rank;
  const auto add = [&](const char* key, auto phase) { json[key] = sample_list(costs, phase); };
  add("seconds", [](const auto& timing) { return timing.batch_s(); });
  add("load_seconds", [](const auto& timing) { return timing.load_s; });
  add("forward_seconds", [](const auto& timing) { return timing.forward_s; });
  add("backward_seconds", [](const auto& timing) { return timing.backward_s; });
  add("step_seconds", [](const auto& timing) { return timing.step_s; });
  return json;
}

int ranks_of(const NetworkCosts& costs) {
  int ranks = 0;
  for (const BatchCosts& batch : costs.batches) ranks = std::max(ranks, batch.rank + 1);
  return ranks;
}

Json cost_json(const NetworkCosts& costs) {
  Json json = {{"network", costs.network}, {"input", costs.input}, {"batches", Json::array()}};
  const bool has_ranks = ranks_of(costs) > 1;
  for (const BatchCosts& batch : costs.batches)
    json["batches"].push_back(batch_json(batch, has_ranks));
  if (!costs.backward_layers.empty()) {
    json["backward_layers"] = Json::array();
    for (const LayerShare& layer : costs.backward_layers) {
      json["backward_layers"].push_back({{"name", layer.name}, {"share", rounded(layer.share)}});
    }
  }
  return json;
}

/// Adds what was measured now as a session after those there are.
void merge_batches(Json& batches, const Json& added) {
  std::int64_t session = 0;
  for (const Json& batch : batches)
    session = std::max(session, batch.value("session", std::int64_t{0}) + 1);
  for (const Json& batch : added) {
    Json later = {{"batch", batch.at("batch")}, {"session", session}};
    later.update(batch);
    batches.push_back(std::move(later));
  }
  std::stable_sort(batches.begin(), batches.end(), [](const Json& left, const Json& right) {
    return left.at("batch") < right.at("batch");
  });
}

void merge_cost(Json& costs, const Json& added) {
  for (Json& cost : costs) {
    if (cost.at("network") == added.at("network") && cost.at("input") == added.at("input")) {
      merge_batches(cost["batches"], added.at("batches"));
      if (added.contains("backward_layers")) cost["backward_layers"] = added.at("backward_layers");
      return;
    }
  }
  costs.push_back(added);
}

void require_same(const Json& existing,
                  const Json& added,
                  const std::string& pointer,
                  const std::string& file) {
  const Json::json_pointer path(pointer);
  const std::string old_text = existing.contains(path) ? existing.at(path).dump() : "nothing";
  const std::string new_text = added.at(path).dump();
  if (old_text != new_text) {
    throw UserError(file + ": " + pointer + ": got " + old_text + "; expected " + new_text +
                    ", as measured now (write to another file)");
  }
}

}  // namespace

Json make_trace(const TraceHeader& header, std::span<const NetworkCosts> costs) {
  Json trace = {{"schema", "epochcast.trace/1"},
                {"name", header.name},
                {"title", header.title},
                {"source", source_json(header.source)},
                {"device", header.device},
                {"costs", Json::array()}};
  for (const NetworkCosts& cost : costs) trace["costs"].push_back(cost_json(cost));
  return trace;
}

Json merged_trace(Json existing, const Json& added, const std::string& file) {
  for (const char* path : {"/device", "/source/grade", "/source/machine", "/source/versions"}) {
    require_same(existing, added, path, file);
  }
  const Json& source = added.at("source");
  Json& merged = existing["source"];
  merged["command"] =
      merged["command"].get<std::string>() + " && " + source.at("command").get<std::string>();
  merged["note"] = merged.value("note", "") + " | " + source.at("note").get<std::string>();
  merged["date"] = source.at("date");
  for (const Json& cost : added.at("costs")) merge_cost(existing["costs"], cost);
  return existing;
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
  if (!costs.empty() && ranks_of(costs[0]) > 1) {
    note << "; " << ranks_of(costs[0])
         << " ranks at the same time, each computing until all had enough";
  }
  if (settings.layers_batch > 0) note << "; backward_layers at batch " << settings.layers_batch;
  note << "; SGD with momentum, procedural samples";
  return note.str();
}

}  // namespace epochcast::real
