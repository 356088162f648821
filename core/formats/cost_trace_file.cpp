// SPDX-License-Identifier: Apache-2.0
#include "core/formats/cost_trace_file.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/json/json_text.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

Json sample_list(const std::vector<double>& samples_s) {
  Json list = Json::array();
  for (const double sample_s : samples_s) list.push_back(rounded(sample_s));
  return list;
}

Json batch_json(const BatchSamples& samples, bool has_ranks) {
  Json json = {{"batch", samples.batch}};
  if (samples.session > 0) json["session"] = samples.session;
  if (has_ranks) json["rank"] = samples.rank;
  json["seconds"] = sample_list(samples.total_s);
  if (samples.load_s.empty()) return json;
  json["load_seconds"] = sample_list(samples.load_s);
  json["forward_seconds"] = sample_list(samples.forward_s);
  json["backward_seconds"] = sample_list(samples.backward_s);
  json["step_seconds"] = sample_list(samples.step_s);
  return json;
}

Json cost_json(const CostTrace& cost) {
  Json json = {{"network", cost.network}, {"input", cost.input}, {"batches", Json::array()}};
  const bool has_ranks = std::any_of(cost.batches.begin(),
                                     cost.batches.end(),
                                     [](const BatchSamples& batch) { return batch.rank > 0; });
  for (const BatchSamples& batch : cost.batches)
    json["batches"].push_back(batch_json(batch, has_ranks));
  if (!cost.backward_layers.empty()) {
    json["backward_layers"] = Json::array();
    for (const LayerShare& layer : cost.backward_layers) {
      json["backward_layers"].push_back({{"name", layer.name}, {"share", rounded(layer.share)}});
    }
  }
  return json;
}

/// Adds the sessions of `added` after those there are.
void merge_batches(Json& batches, const Json& added) {
  const auto session_of = [](const Json& batch) { return batch.value("session", std::int64_t{0}); };
  std::int64_t next = 0;
  for (const Json& batch : batches) next = std::max(next, session_of(batch) + 1);
  for (const Json& batch : added) {
    Json later = {{"batch", batch.at("batch")}, {"session", 0}};
    later.update(batch);
    later["session"] = next + session_of(batch);
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

Json trace_json(const TraceHeader& header, std::span<const CostTrace> costs) {
  Json trace = {{"schema", "epochcast.trace/1"},
                {"name", header.name},
                {"title", header.title},
                {"source", source_json(header.source)},
                {"device", header.device},
                {"costs", Json::array()}};
  for (const CostTrace& cost : costs) trace["costs"].push_back(cost_json(cost));
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

}  // namespace epochcast
