// SPDX-License-Identifier: Apache-2.0
#include "core/formats/cost_trace.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_number.hpp"
#include "core/formats/network_file.hpp"
#include "core/formats/older_version.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTraceSchema = "epochcast.trace/1";

/// A list of seconds in an object, and the member that it is read into.
struct Part {
  const char* key;
  std::vector<double>* values;
};

/// Refuses measurements of older versions in one sentence for all of them.
void refuse_older_samples(const JsonInput& samples, const std::string& file) {
  const std::string part = older_key(
      samples, {"cold_start_seconds", "batch_after_seconds", "batch_second_after_seconds"});
  if (!part.empty()) throw UserError(file + ": " + older_version(part, "measure batches again"));
}

BatchSamples read_batch(JsonInput input) {
  BatchSamples samples;
  samples.batch = input.at("batch").integer(1);
  if (const auto session = input.maybe("session")) samples.session = session->integer(0);
  if (const auto rank = input.maybe("rank")) samples.rank = rank->integer(0);
  samples.total_s = input.at("seconds").samples();
  for (const double seconds : samples.total_s) {
    if (seconds <= 0) {
      input.at("seconds").problem("a batch cannot take 0 seconds");
      break;
    }
  }
  const Part parts[] = {{"load_seconds", &samples.load_s},
                        {"forward_seconds", &samples.forward_s},
                        {"backward_seconds", &samples.backward_s},
                        {"step_seconds", &samples.step_s}};
  int present = 0;
  for (const auto& [key, values] : parts) {
    const auto part = input.maybe(key);
    if (!part) continue;
    ++present;
    *values = part->samples();
    if (!samples.total_s.empty() && values->size() != samples.total_s.size()) {
      part->fail("as many samples as \"seconds\" has (" + std::to_string(samples.total_s.size()) +
                 ")");
    }
  }
  if (present != 0 && present != 4) {
    input.problem(
        "needs all of load_seconds, forward_seconds, backward_seconds, step_seconds, or none");
  }
  input.finish();
  return samples;
}

OverlapSamples read_overlap(JsonInput input) {
  OverlapSamples overlap;
  overlap.batch = input.at("batch").integer(1);
  if (const auto session = input.maybe("session")) overlap.session = session->integer(0);
  if (const auto rank = input.maybe("rank")) overlap.rank = rank->integer(0);
  overlap.all_reduce = input.at("all_reduce").identifier();
  overlap.bytes = static_cast<double>(input.at("bytes").integer(1));
  const Part parts[] = {{"batch_alone_seconds", &overlap.batch_alone_s},
                        {"batch_seconds", &overlap.batch_s},
                        {"exchange_alone_seconds", &overlap.exchange_alone_s},
                        {"exchange_seconds", &overlap.exchange_s}};
  for (const auto& [key, values] : parts) {
    JsonInput part = input.at(key);
    *values = part.samples();
    const auto is_zero = [](const nlohmann::json& seconds) { return seconds == 0; };
    if (std::any_of(part.value().begin(), part.value().end(), is_zero))
      part.problem("neither batches nor all-reduces take 0 seconds");
    if (!values->empty() && values->size() != overlap.batch_alone_s.size())
      part.fail("as many samples as \"batch_alone_seconds\" has (" +
                std::to_string(overlap.batch_alone_s.size()) + ")");
  }
  input.finish();
  return overlap;
}

KernelSamples read_kernel(JsonInput input) {
  KernelSamples samples = {.compression = input.at("compression").identifier(),
                           .kernel = input.at("kernel").identifier(),
                           .moved_bytes = static_cast<double>(input.at("moved_bytes").integer(1)),
                           .seconds = input.at("seconds").samples()};
  input.finish();
  return samples;
}

std::vector<LayerShare> read_shares(const JsonInput& input) {
  std::vector<LayerShare> shares;
  double sum = 0;
  for (JsonInput& element : input.elements(1)) {
    LayerShare share;
    share.name = element.at("name").string();
    const JsonInput value = element.at("share");
    if (value.value().is_number() && value.value().get<double>() >= 0 &&
        value.value().get<double>() <= 1) {
      share.share = value.value().get<double>();
    } else {
      value.fail("a share from 0 to 1");
    }
    sum += share.share;
    element.finish();
    shares.push_back(std::move(share));
  }
  if (std::abs(sum - 1) > 0.01)
    input.problem("the shares sum to " + std::to_string(sum) + "; expected 1");
  return shares;
}

std::string place_text(const BatchSamples& samples) {
  return "session " + std::to_string(samples.session) + ", rank " + std::to_string(samples.rank);
}

/// Sorts by batch size. Within a size, the file has to be in order: a session out of order is
/// probably a wrong number.
void sort_batches(std::vector<BatchSamples>& batches, JsonInput& input) {
  std::stable_sort(batches.begin(),
                   batches.end(),
                   [](const BatchSamples& a, const BatchSamples& b) { return a.batch < b.batch; });
  for (std::size_t i = 1; i < batches.size(); ++i) {
    const BatchSamples& before = batches[i - 1];
    const BatchSamples& after = batches[i];
    const auto place = [](const BatchSamples& samples) {
      return std::tie(samples.session, samples.rank);
    };
    if (before.batch != after.batch || place(before) < place(after)) continue;
    const std::string which = "batch size " + std::to_string(after.batch);
    if (place(before) > place(after)) {
      input.problem(which + ": " + place_text(after) + " comes after " + place_text(before) +
                    "; expected sessions in ascending order, and ranks within them");
    } else if (after.session == 0 && after.rank == 0) {
      input.problem(which + " is listed twice");
    } else {
      input.problem(which + ", " + place_text(after) + " is listed twice");
    }
  }
}

CostTrace read_cost(JsonInput input, const TraceFile& trace, const std::string& file) {
  CostTrace cost;
  cost.file = file;
  cost.device = trace.device;
  cost.network = input.at("network").identifier();
  cost.input = read_shape(input.at("input"));
  if (const auto precision = input.maybe("precision")) cost.precision = read_precision(*precision);
  const auto source = input.maybe("source");
  cost.source = source ? read_source(*source) : trace.source;
  JsonInput batches = input.at("batches");
  for (const JsonInput& batch : batches.elements(1)) {
    refuse_older_samples(batch, file);
    cost.batches.push_back(read_batch(batch));
  }
  sort_batches(cost.batches, batches);
  if (const auto shares = input.maybe("backward_layers"))
    cost.backward_layers = read_shares(*shares);
  if (const auto overlap = input.maybe("overlap")) {
    for (const JsonInput& each : overlap->elements(1)) {
      refuse_older_samples(each, file);
      cost.overlap.push_back(read_overlap(each));
    }
  }
  if (const auto kernels = input.maybe("kernels"))
    for (const JsonInput& each : kernels->elements(1)) cost.kernels.push_back(read_kernel(each));
  input.finish();
  return cost;
}

Json batch_json(const BatchSamples& samples, bool has_ranks) {
  Json json = {{"batch", samples.batch}};
  if (samples.session > 0) json["session"] = samples.session;
  if (has_ranks) json["rank"] = samples.rank;
  json["seconds"] = samples.total_s;
  if (samples.load_s.empty()) return json;
  json["load_seconds"] = samples.load_s;
  json["forward_seconds"] = samples.forward_s;
  json["backward_seconds"] = samples.backward_s;
  json["step_seconds"] = samples.step_s;
  return json;
}

Json overlap_json(const OverlapSamples& overlap) {
  Json json = {{"batch", overlap.batch}};
  if (overlap.session > 0) json["session"] = overlap.session;
  if (overlap.rank > 0) json["rank"] = overlap.rank;
  json["all_reduce"] = overlap.all_reduce;
  json["bytes"] = std::llround(overlap.bytes);
  json["batch_alone_seconds"] = overlap.batch_alone_s;
  json["batch_seconds"] = overlap.batch_s;
  json["exchange_alone_seconds"] = overlap.exchange_alone_s;
  json["exchange_seconds"] = overlap.exchange_s;
  return json;
}

Json cost_json(const CostTrace& cost, const Source& source_of_file) {
  Json json = {{"network", cost.network},
               {"input", cost.input},
               {"precision", show_name(cost.precision, kPrecisions)}};
  if (cost.source != source_of_file) json["source"] = to_json(cost.source);
  std::set<std::int64_t> by_ranks;  // sessions
  for (const BatchSamples& batch : cost.batches) {
    if (batch.rank > 0) by_ranks.insert(batch.session);
  }
  json["batches"] = Json::array();
  for (const BatchSamples& batch : cost.batches)
    json["batches"].push_back(batch_json(batch, by_ranks.contains(batch.session)));
  for (const LayerShare& layer : cost.backward_layers)
    json["backward_layers"].push_back({{"name", layer.name}, {"share", layer.share}});
  for (const OverlapSamples& overlap : cost.overlap)
    json["overlap"].push_back(overlap_json(overlap));
  for (const KernelSamples& samples : cost.kernels)
    json["kernels"].push_back({{"compression", samples.compression},
                               {"kernel", samples.kernel},
                               {"moved_bytes", std::llround(samples.moved_bytes)},
                               {"seconds", samples.seconds}});
  return json;
}

/// Adds the sessions of `added` after those there are.
template <typename Samples>
void add_sessions(std::vector<Samples>& all,
                  const std::vector<Samples>& added,
                  std::int64_t sessions) {
  for (const Samples& samples : added) {
    all.push_back(samples);
    all.back().session += sessions;
  }
  std::stable_sort(all.begin(), all.end(), [](const Samples& left, const Samples& right) {
    return left.batch < right.batch;
  });
}

void merge_cost(std::vector<CostTrace>& costs, const CostTrace& added) {
  for (CostTrace& cost : costs) {
    if (cost.network != added.network || cost.input != added.input ||
        cost.precision != added.precision)
      continue;
    std::int64_t sessions = 0;
    for (const BatchSamples& batch : cost.batches) sessions = std::max(sessions, batch.session + 1);
    add_sessions(cost.batches, added.batches, sessions);
    add_sessions(cost.overlap, added.overlap, sessions);
    if (!added.backward_layers.empty()) cost.backward_layers = added.backward_layers;
    for (const KernelSamples& samples : added.kernels)
      std::erase_if(cost.kernels, [&](const KernelSamples& old) {
        return old.compression == samples.compression;
      });
    cost.kernels.insert(cost.kernels.end(), added.kernels.begin(), added.kernels.end());
    return;
  }
  costs.push_back(added);
}

/// The properties that all costs of a trace share, as JSON.
Json common_json(const TraceFile& trace) {
  return {{"device", trace.device}, {"source", to_json(trace.source)}};
}

void require_same(const TraceFile& existing, const TraceFile& added, const std::string& file) {
  const Json olds = common_json(existing);
  const Json news = common_json(added);
  for (const char* pointer : {"/device", "/source/grade", "/source/machine", "/source/versions"}) {
    const Json::json_pointer path(pointer);
    const std::string old_text = olds.contains(path) ? olds.at(path).dump() : "nothing";
    const std::string new_text = news.contains(path) ? news.at(path).dump() : "nothing";
    if (old_text == new_text) continue;
    throw UserError(file + ": " + pointer + ": got " + old_text + "; expected " + new_text +
                    ", as measured now (write to another file)");
  }
}

}  // namespace

TraceFile parse_trace(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, kTraceSchema, problems);
  TraceFile trace;
  trace.name = top.at("name").identifier();
  trace.title = top.at("title").string();
  trace.source = read_source(top.at("source"));
  trace.device = top.at("device").identifier();
  for (const JsonInput& cost : top.at("costs").elements(1))
    trace.costs.push_back(read_cost(cost, trace, file));
  top.finish();
  problems.throw_if_any();
  return trace;
}

TraceFile load_trace(const std::filesystem::path& file) {
  return parse_trace(read_json_file(file, kSamplesFile), file.string());
}

Json to_json(const TraceFile& trace) {
  Json json = {{"schema", kTraceSchema},
               {"name", trace.name},
               {"title", trace.title},
               {"source", to_json(trace.source)},
               {"device", trace.device},
               {"costs", Json::array()}};
  for (const CostTrace& cost : trace.costs) json["costs"].push_back(cost_json(cost, trace.source));
  return json;
}

CostTrace rounded(CostTrace cost) {
  for (BatchSamples& batch : cost.batches) {
    for (auto part : {&BatchSamples::total_s,
                      &BatchSamples::load_s,
                      &BatchSamples::forward_s,
                      &BatchSamples::backward_s,
                      &BatchSamples::step_s}) {
      for (double& sample_s : batch.*part) sample_s = rounded(sample_s);
    }
  }
  for (LayerShare& layer : cost.backward_layers) layer.share = rounded(layer.share);
  for (OverlapSamples& overlap : cost.overlap) {
    for (auto part : {&OverlapSamples::batch_alone_s,
                      &OverlapSamples::batch_s,
                      &OverlapSamples::exchange_alone_s,
                      &OverlapSamples::exchange_s}) {
      for (double& sample_s : overlap.*part) sample_s = rounded(sample_s);
    }
  }
  for (KernelSamples& samples : cost.kernels)
    for (double& sample_s : samples.seconds) sample_s = rounded(sample_s);
  return cost;
}

TraceFile merged(TraceFile existing, const TraceFile& added, const std::string& file) {
  require_same(existing, added, file);
  Source source = existing.source;
  source.command += " && " + added.source.command;
  source.note += " | " + added.source.note;
  source.date = added.source.date;
  const auto adopt = [&](CostTrace& cost, const TraceFile& from) {
    if (cost.source == from.source) cost.source = source;
  };
  for (CostTrace& cost : existing.costs) adopt(cost, existing);
  for (CostTrace cost : added.costs) {
    adopt(cost, added);
    merge_cost(existing.costs, cost);
  }
  existing.source = source;
  return existing;
}

}  // namespace epochcast
