// SPDX-License-Identifier: Apache-2.0
#include "core/formats/message_trace.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_number.hpp"
#include "base/text/suggest.hpp"
#include "core/formats/older_version.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMessageSchema = "epochcast.message-trace/1";
constexpr std::int64_t kMostRanks = 1'000'000;

/// One of the known names; other names are problems.
std::string read_name(const JsonInput& input,
                      const std::string& what,
                      const std::vector<std::string>& known) {
  std::string name = input.string();
  if (input.value().is_string() && std::find(known.begin(), known.end(), name) == known.end())
    input.problem(unknown_name(what, name, known));
  return name;
}

/// Refuses costs that only older versions measured, in one sentence for all of them.
void refuse_older_messages(const JsonInput& cost, const std::string& file) {
  std::string part = older_key(cost, {"member_share"});
  const auto is_kind = [&](const char* kind) {
    return cost.has("kind") && cost.value().at("kind") == kind;
  };
  for (const std::string kind : {"late", "late-exchange", "in-a-row", "barrier", "meeting"}) {
    if (is_kind(kind.c_str())) part = "messages of the kind \"" + kind + "\"";
  }
  if (cost.has("nodes") && is_kind("ring-step")) part = "ring steps among some \"nodes\"";
  if (!part.empty()) throw UserError(file + ": " + older_version(part, "measure messages again"));
}

MessageCost read_cost(JsonInput input, std::int64_t node_count) {
  MessageCost cost;
  cost.kind = read_name(input.at("kind"),
                        "kind of message",
                        {"ping-pong", "opposite", "ring-step", "hub-step", "reduce", "all-reduce"});
  cost.scope = read_name(input.at("scope"), "scope", {"node", "between", "all"});
  if (const auto algorithm = input.maybe("algorithm")) cost.algorithm = algorithm->identifier();
  if (auto nodes = input.maybe("nodes")) {
    for (const JsonInput& node : nodes->elements(1))
      cost.nodes.push_back(
          static_cast<int>(node.integer(0, std::max<std::int64_t>(0, node_count - 1))));
    if (cost.scope != "between") nodes->problem("are of messages with the scope \"between\" only");
    if (std::adjacent_find(cost.nodes.begin(), cost.nodes.end(), std::greater_equal<>()) !=
        cost.nodes.end())
      nodes->problem("must ascend");
  }
  cost.bytes = input.at("bytes").integer(0);
  cost.samples_s = input.at("samples_s").samples();
  input.finish();
  return cost;
}

Json cost_json(const MessageCost& cost) {
  Json json = {{"kind", cost.kind}, {"scope", cost.scope}};
  if (!cost.algorithm.empty()) json["algorithm"] = cost.algorithm;
  if (!cost.nodes.empty()) json["nodes"] = cost.nodes;
  json["bytes"] = cost.bytes;
  json["samples_s"] = cost.samples_s;
  return json;
}

}  // namespace

int MessageTrace::node_count() const {
  return node_of_rank.empty() ? 0 : *std::max_element(node_of_rank.begin(), node_of_rank.end()) + 1;
}

MessageTrace parse_message_trace(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, kMessageSchema, problems);
  MessageTrace trace;
  trace.file = file;
  trace.name = top.at("name").identifier();
  trace.title = top.at("title").string();
  trace.source = read_source(top.at("source"));
  const std::int64_t ranks = top.at("ranks").integer(2, kMostRanks);
  const std::int64_t nodes = top.at("nodes").integer(1, kMostRanks);
  JsonInput node_of_rank = top.at("node_of_rank");
  for (const JsonInput& node : node_of_rank.elements(2))
    trace.node_of_rank.push_back(
        static_cast<int>(node.integer(0, std::max<std::int64_t>(0, nodes - 1))));
  if (problems.empty() && static_cast<std::int64_t>(trace.node_of_rank.size()) != ranks)
    node_of_rank.problem("has " + std::to_string(trace.node_of_rank.size()) + " entries for " +
                         std::to_string(ranks) + " ranks");
  for (const JsonInput& cost : top.at("costs").elements(1)) {
    refuse_older_messages(cost, file);
    trace.costs.push_back(read_cost(cost, nodes));
  }
  top.finish();
  problems.throw_if_any();
  return trace;
}

MessageTrace load_message_trace(const std::filesystem::path& file) {
  return parse_message_trace(read_json_file(file, kSamplesFile), file.string());
}

Json to_json(const MessageTrace& trace) {
  Json json = {{"schema", kMessageSchema},
               {"name", trace.name},
               {"title", trace.title},
               {"source", to_json(trace.source)},
               {"ranks", trace.node_of_rank.size()},
               {"nodes", trace.node_count()},
               {"node_of_rank", trace.node_of_rank},
               {"costs", Json::array()}};
  for (const MessageCost& cost : trace.costs) json["costs"].push_back(cost_json(cost));
  return json;
}

MessageTrace rounded(MessageTrace trace) {
  for (MessageCost& cost : trace.costs) {
    for (double& sample_s : cost.samples_s) sample_s = rounded(sample_s);
  }
  return trace;
}

MessageTrace load_message_sessions(const std::vector<std::filesystem::path>& files) {
  MessageTrace all = load_message_trace(files.front());
  for (std::size_t session = 1; session < files.size(); ++session) {
    MessageTrace trace = load_message_trace(files[session]);
    if (trace.node_of_rank != all.node_of_rank)
      throw UserError(trace.file + ": its ranks lie on other nodes than those of " + all.file +
                      "; expected sessions of the same ranks");
    for (MessageCost& cost : trace.costs) {
      cost.session = static_cast<int>(session);
      all.costs.push_back(std::move(cost));
    }
  }
  return all;
}

}  // namespace epochcast
