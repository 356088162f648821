// SPDX-License-Identifier: Apache-2.0
#include "core/formats/cost_trace.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/formats/network.hpp"
#include "core/json/json_file.hpp"

namespace epochcast {
namespace {

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
  struct Part {
    const char* key;
    std::vector<double>* values;
  };
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
  for (LayerShare& share : shares) share.share /= sum > 0 ? sum : 1;
  return shares;
}

std::string place_text(const BatchSamples& samples) {
  return "session " + std::to_string(samples.session) + ", rank " + std::to_string(samples.rank);
}

/// Sorts by batch size. Within one the file has to be in order: a session out of place is more
/// likely a wrong number than a wrong place.
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

CostTrace read_cost(JsonInput input, const TraceFile& file) {
  CostTrace cost;
  cost.device = file.device;
  cost.network = input.at("network").identifier();
  cost.input = read_shape(input.at("input"));
  const auto source = input.maybe("source");
  cost.source = source ? read_source(*source) : file.source;
  JsonInput batches = input.at("batches");
  for (const JsonInput& batch : batches.elements(1)) cost.batches.push_back(read_batch(batch));
  sort_batches(cost.batches, batches);
  if (const auto shares = input.maybe("backward_layers"))
    cost.backward_layers = read_shares(*shares);
  input.finish();
  return cost;
}

}  // namespace

TraceFile parse_trace(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.trace/1", problems);
  TraceFile trace;
  trace.name = top.at("name").identifier();
  trace.title = top.at("title").string();
  trace.source = read_source(top.at("source"));
  trace.device = top.at("device").identifier();
  for (const JsonInput& cost : top.at("costs").elements(1)) {
    trace.costs.push_back(read_cost(cost, trace));
    trace.costs.back().file = file;
  }
  top.finish();
  problems.throw_if_any();
  return trace;
}

TraceFile load_trace(const std::filesystem::path& file) {
  return parse_trace(read_json_file(file, kSamplesFile), file.string());
}

}  // namespace epochcast
