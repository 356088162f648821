// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/rows_file.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/throughput/row_names.hpp"
#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"
#include "base/text/suggest.hpp"

namespace epochcast {
namespace {

template <typename Value, std::size_t N>
Value read_choice(const JsonInput& input, const char* kind, const RowName<Value> (&known)[N]) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known) {
    if (input.value() == name) return value;
    names.emplace_back(name);
  }
  if (input.value().is_string()) {
    input.problem(unknown_name(kind, input.value().get<std::string>(), names));
  } else {
    input.fail(std::string("the name of a ") + kind);
  }
  return known[0].value;
}

double read_positive(const JsonInput& input) {
  if (input.value().is_number() && input.value().get<double>() > 0 &&
      input.value().get<double>() <= 1e15)
    return input.value().get<double>();
  input.fail("a positive number");
  return 1;
}

void read_rate(JsonInput& object, const char* key, std::optional<double>& rate) {
  if (const auto input = object.maybe(key)) rate = input->quantity(Dimension::bytes_per_s);
}

NodeFigures read_node(JsonInput input) {
  NodeFigures node;
  node.devices_per_node = static_cast<int>(input.at("devices-per-node").integer(1, 1024));
  if (const auto rate = input.maybe("node"))
    node.node_bytes_per_s = rate->quantity(Dimension::bytes_per_s);
  if (const auto staged = input.maybe("staged-in-node")) node.is_node_staged = staged->boolean();
  if (const auto rate = input.maybe("network"))
    node.network_bytes_per_s = rate->quantity(Dimension::bytes_per_s);
  if (const auto ports = input.maybe("ports"))
    node.network_ports = static_cast<int>(ports->integer(1, 64));
  if (const auto transport = input.maybe("transport"))
    node.transport = read_choice(*transport, "transport", kTransportNames);
  if (const auto rate = input.maybe("memory"))
    node.memory_bytes_per_s = rate->quantity(Dimension::bytes_per_s);
  input.finish();
  return node;
}

MeasuredRates read_rates(JsonInput input) {
  MeasuredRates rates;
  read_rate(input, "node", rates.node_bytes_per_s);
  read_rate(input, "network", rates.network_bytes_per_s);
  if (const auto hop = input.maybe("hop")) rates.network_hop_s = hop->quantity(Dimension::seconds);
  input.finish();
  return rates;
}

TrainingJob read_job(JsonInput input) {
  TrainingJob job;
  job.parameters = read_positive(input.at("parameters"));
  job.gradient_bytes = input.at("gradient").quantity(Dimension::bytes);
  if (const auto assumed = input.maybe("gradient-assumed"))
    job.is_gradient_assumed = assumed->boolean();
  if (const auto last = input.maybe("last-gradient"))
    job.last_gradient_bytes = last->quantity(Dimension::bytes, true);
  job.tensors = static_cast<int>(input.at("tensors").integer(1, 1'000'000));
  const auto seconds = [&](const char* key, double& value) {
    if (const auto found = input.maybe(key)) value = found->quantity(Dimension::seconds, true);
  };
  if (const auto kernels = input.maybe("kernels")) job.kernels = read_positive(*kernels);
  seconds("device-sample", job.device_sample_s);
  seconds("node-sample", job.node_sample_s);
  seconds("distributed-step", job.distributed_step_s);
  if (const auto exchange = input.maybe("exchange"))
    job.exchange = read_choice(*exchange, "exchange", kExchangeNames);
  if (const auto overlap = input.maybe("overlap"))
    job.overlap = read_choice(*overlap, "overlap", kOverlapNames);
  if (const auto bucket = input.maybe("bucket"))
    job.bucket_bytes = bucket->quantity(Dimension::bytes);
  if (const auto traffic = input.maybe("optimizer-bytes-per-parameter"))
    job.optimizer_bytes_per_parameter = read_positive(*traffic);
  if (const auto traffic = input.maybe("outer-bytes-per-parameter"))
    job.outer_bytes_per_parameter = read_positive(*traffic);
  if (const auto sharded = input.maybe("sharded-optimizer"))
    job.is_optimizer_sharded = sharded->boolean();
  input.finish();
  return job;
}

TrainingRow read_row(JsonInput& input) {
  TrainingRow row;
  row.nodes = static_cast<int>(input.at("nodes").integer(1, 1'000'000));
  row.devices = row.nodes * static_cast<int>(input.at("devices").integer(1, 1024));
  row.batch = read_positive(input.at("batch"));
  if (const auto accumulation = input.maybe("accumulation"))
    row.accumulation = static_cast<int>(accumulation->integer(1, 1'000'000));
  if (const auto rate = input.maybe("network"))
    row.network_bytes_per_s = rate->quantity(Dimension::bytes_per_s);
  if (const auto servers = input.maybe("servers"))
    row.servers = static_cast<int>(servers->integer(1, row.nodes));
  if (const auto exchanges = input.maybe("exchanges")) {
    row.exchanges = read_positive(*exchanges);
    if (row.exchanges > 1) exchanges->fail("at most 1 exchange per step");
  }
  if (const auto exchange = input.maybe("exchange"))
    row.exchange = read_choice(*exchange, "exchange", kExchangeNames);
  if (const auto graph = input.maybe("graph"))
    row.graph = read_choice(*graph, "graph", kGraphNames);
  return row;
}

double step_of_rate(const TrainingRow& row, double samples_per_s) {
  return row.batch * row.accumulation * row.devices / samples_per_s;
}

MeasuredRow read_measured(JsonInput input) {
  MeasuredRow measured = {.row = read_row(input)};
  if (const auto overlap = input.maybe("overlap"))
    measured.overlap = read_choice(*overlap, "overlap", kOverlapNames);
  if (const auto rate = input.maybe("rate")) {
    measured.step_s = step_of_rate(measured.row, read_positive(*rate));
  } else {
    measured.step_s = input.at("step").quantity(Dimension::seconds);
  }
  input.finish();
  return measured;
}

MeasuredMessage read_message(JsonInput input) {
  MeasuredMessage message;
  message.library = read_choice(input.at("library"), "library", kLibraryNames);
  message.bytes = input.at("size").quantity(Dimension::bytes);
  message.seconds = input.at("time").quantity(Dimension::seconds);
  message.latency_s = input.at("latency").quantity(Dimension::seconds, true);
  message.bytes_per_s = input.at("bandwidth").quantity(Dimension::bytes_per_s);
  input.finish();
  return message;
}

AskedCollective read_collective(JsonInput input) {
  AskedCollective asked;
  asked.library = read_choice(input.at("library"), "library", kLibraryNames);
  asked.kind = read_choice(input.at("collective"), "collective", kCollectiveNames);
  asked.bytes = input.at("size").quantity(Dimension::bytes);
  asked.nodes = static_cast<int>(input.at("nodes").integer(1, 1'000'000));
  asked.latency_s = input.at("latency").quantity(Dimension::seconds, true);
  asked.bytes_per_s = input.at("bandwidth").quantity(Dimension::bytes_per_s);
  input.finish();
  return asked;
}

RoundPeers read_peers(JsonInput input) {
  RoundPeers peers;
  peers.count = static_cast<int>(input.at("count").integer(1, 1'000'000));
  peers.samples_per_s = read_positive(input.at("rate"));
  if (const auto slowdown = input.maybe("slowdown")) {
    peers.slowdown = read_positive(*slowdown);
    if (peers.slowdown < 1) slowdown->fail("a factor of at least 1");
  }
  peers.site = input.at("site").string();
  input.finish();
  return peers;
}

SiteLink read_site_link(JsonInput input) {
  SiteLink link;
  const std::vector<JsonInput> sites = input.at("sites").elements(2);
  if (sites.size() == 2) {
    link.one = sites[0].string();
    link.other = sites[1].string();
  } else {
    input.at("sites").fail("the names of two sites");
  }
  link.bytes_per_s = input.at("bandwidth").quantity(Dimension::bytes_per_s);
  link.latency_s = input.at("latency").quantity(Dimension::seconds, true);
  input.finish();
  return link;
}

AskedRound read_round(JsonInput input) {
  AskedRound round;
  round.target = read_positive(input.at("target-batch"));
  round.parameters = read_positive(input.at("parameters"));
  round.gradient_bytes = input.at("gradient").quantity(Dimension::bytes);
  if (const auto traffic = input.maybe("optimizer-bytes-per-parameter"))
    round.optimizer_bytes_per_parameter = read_positive(*traffic);
  if (const auto matchmaking = input.maybe("matchmaking"))
    round.matchmaking_s = matchmaking->quantity(Dimension::seconds, true);
  if (const auto delayed = input.maybe("delayed-updates")) round.is_delayed = delayed->boolean();
  for (const JsonInput& peers : input.at("peers").elements(1))
    round.peers.push_back(read_peers(peers));
  if (const auto links = input.maybe("links")) {
    for (const JsonInput& link : links->elements()) round.links.push_back(read_site_link(link));
  }
  input.finish();
  return round;
}

}  // namespace

RowsFile parse_rows(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.rows/1", problems);
  RowsFile rows;
  rows.node = read_node(top.at("cluster"));
  if (const auto job = top.maybe("job")) rows.job = read_job(*job);
  if (const auto measured = top.maybe("measured")) rows.rates = read_rates(*measured);
  if (const auto list = top.maybe("rows")) {
    for (const JsonInput& row : list->elements()) rows.rows.push_back(read_measured(row));
  }
  if (const auto groups = top.maybe("like")) {
    for (const JsonInput& group : groups->elements()) {
      rows.like.emplace_back();
      for (const JsonInput& row : group.elements(1)) rows.like.back().push_back(read_measured(row));
    }
  }
  if (const auto list = top.maybe("forecast")) {
    for (JsonInput row : list->elements()) {
      rows.forecast.push_back(read_row(row));
      if (const auto overlap = row.maybe("overlap"))
        rows.forecast.back().overlap = read_choice(*overlap, "overlap", kOverlapNames);
      row.finish();
    }
  }
  if (const auto list = top.maybe("messages")) {
    for (const JsonInput& message : list->elements())
      rows.messages.push_back(read_message(message));
  }
  if (const auto list = top.maybe("collectives")) {
    for (const JsonInput& asked : list->elements())
      rows.collectives.push_back(read_collective(asked));
  }
  if (const auto list = top.maybe("rounds")) {
    for (const JsonInput& asked : list->elements()) rows.rounds.push_back(read_round(asked));
  }
  top.finish();
  problems.throw_if_any();
  return rows;
}

RowsFile load_rows(const std::filesystem::path& file) {
  return parse_rows(read_json_file(file), file.string());
}

}  // namespace epochcast
