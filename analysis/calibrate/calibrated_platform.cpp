// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/calibrated_platform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "analysis/calibrate/fit_doubts.hpp"
#include "core/error.hpp"
#include "core/process/process_pool.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLargeAllReduce = 1 << 20;  // bytes: what training exchanges

/// Six significant digits and a unit that input files take.
std::string quantity_text(double value, const char* unit) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.6g%s", value, unit);
  return text.data();
}

std::string seconds_text(double seconds) { return quantity_text(1e6 * seconds, "us"); }
std::string rate_text(double bytes_per_s) { return quantity_text(1e-6 * bytes_per_s, "MBps"); }

Json messages_json(const MessageCosts& costs) {
  Json regimes = Json::array();
  for (const MessageRegime& regime : costs.regimes) {
    regimes.push_back({{"from", quantity_text(regime.from_bytes, "B")},
                       {"latency", seconds_text(regime.latency_s)},
                       {"bandwidth", rate_text(regime.bytes_per_s)}});
  }
  constexpr double kDigits = 1e6;
  Json messages = {{"regimes", regimes},
                   {"uncertainty", std::round(kDigits * costs.uncertainty) / kDigits},
                   {"meeting", seconds_text(costs.meeting_s)}};
  if (!costs.notes.empty()) messages["notes"] = costs.notes;
  return messages;
}

/// What a message of no bytes takes; links must have some latency for it to be scaled.
double latency_of(const ScopeFit& fit) {
  return std::max(fit.costs.regimes.front().latency_s, 1e-9);
}

Json inside_json(const ScopeFit& fit, int devices, const Json& source) {
  const double bus = devices * fit.bytes_per_s;
  return {{"topology", "shared-memory"},
          {"bandwidth", rate_text(bus)},
          {"latency", seconds_text(latency_of(fit))},
          {"messages", messages_json(fit.costs)},
          {"source", source}};
}

Json network_json(Json network, const ScopeFit& fit, const Json& source) {
  if (network.is_null()) network = {{"topology", "star"}};
  network["bandwidth"] = rate_text(fit.bytes_per_s);
  network["latency"] = seconds_text(0.5 * latency_of(fit));  // a way has two links
  network.erase("backbone");  // what all share limited the ring steps, too
  network["messages"] = messages_json(fit.costs);
  network["source"] = source;
  return network;
}

int devices_of(const Json& group) {
  int devices = 0;
  for (const Json& device : group["devices"]) devices += device.value("count", 1);
  return devices;
}

}  // namespace

Json platform_of_trace(const MessageTrace& trace, const std::vector<std::string>& model_of_rank) {
  Json groups = Json::array();
  for (int node = 0; node < trace.node_count(); ++node) {
    Json devices = Json::array();
    for (std::size_t rank = 0; rank < trace.node_of_rank.size(); ++rank) {
      if (trace.node_of_rank[rank] != node) continue;
      if (devices.empty() || devices.back()["model"] != model_of_rank[rank]) {
        devices.push_back({{"class", "cpu"}, {"model", model_of_rank[rank]}, {"count", 0}});
      }
      devices.back()["count"] = devices.back()["count"].get<int>() + 1;
    }
    if (!groups.empty() && groups.back()["devices"] == devices) {
      groups.back()["count"] = groups.back()["count"].get<int>() + 1;
    } else {
      groups.push_back({{"name", "nodes-" + std::to_string(groups.size() + 1)},
                        {"count", 1},
                        {"devices", devices}});
    }
  }
  return {{"schema", "epochcast.platform/1"},
          {"name", trace.name},
          {"title", trace.title},
          {"source", Json()},
          {"nodes", groups}};
}

Json calibrated_platform(Json document, const NetworkFit& fit, const Json& trace_document) {
  const Json& source = trace_document["source"];
  if (document["source"].is_null()) document["source"] = source;
  for (Json& group : document["nodes"]) {
    if (fit.node && devices_of(group) > 1)
      group["interconnect"] = inside_json(*fit.node, devices_of(group), source);
    if (fit.reduce_bytes_per_s <= 0) continue;
    for (Json& device : group["devices"]) device["reduce"] = rate_text(fit.reduce_bytes_per_s);
  }
  if (fit.between)
    document["network"] = network_json(document.value("network", Json()), *fit.between, source);
  return document;
}

std::vector<AllReduceCheck> check_all_reduces(const Platform& platform, const MessageTrace& trace) {
  std::vector<AllReduceCheck> checks;
  for (const MessageCost& cost : trace.costs) {
    if (cost.kind != "all-reduce") continue;
    checks.push_back({.all_reduce = {.scope = cost.scope,
                                     .algorithm = cost.algorithm,
                                     .bytes = static_cast<double>(cost.bytes)},
                      .measured_s = expected_s(cost.samples_s)});
  }
  if (checks.empty()) return checks;
  std::vector<sim::AllReduceCase> cases;
  cases.reserve(checks.size());
  for (const AllReduceCheck& check : checks) cases.push_back(check.all_reduce);
  run_in_processes(
      1,
      1,
      [&](std::size_t) -> std::string {
        try {
          return nlohmann::json(sim::all_reduce_seconds(platform, cases)).dump();
        } catch (const UserError& error) {
          return nlohmann::json(error.what()).dump();
        }
      },
      [&](std::size_t, const TaskAnswer& answer) {
        if (!answer.death.empty()) throw RunError("the simulation of all-reduces " + answer.death);
        const auto found = nlohmann::json::parse(answer.text);
        if (found.is_string()) throw UserError(trace.file + ": " + found.get<std::string>());
        for (std::size_t i = 0; i < checks.size(); ++i) checks[i].forecast_s = found[i];
      });
  return checks;
}

Calibration calibrate(const MessageTrace& trace, const Json& trace_document) {
  Calibration calibration = {.fit = fit_network(trace), .checks = {}};
  NetworkFit& fit = calibration.fit;
  const std::vector<std::string> models(trace.node_of_rank.size(), "cpu");
  const Json platform = calibrated_platform(platform_of_trace(trace, models), fit, trace_document);
  calibration.checks =
      check_all_reduces(parse_platform(nlohmann::json(platform), trace.file), trace);
  const auto widen =
      [&](std::optional<ScopeFit>& scope, const std::string& ring, const std::string& name) {
        if (!scope) return;
        double sum = 0;
        double count = 0;
        for (const AllReduceCheck& check : calibration.checks) {
          if (check.all_reduce.scope != ring || check.all_reduce.bytes < kLargeAllReduce) continue;
          sum += std::pow(std::log(check.forecast_s / check.measured_s), 2);
          ++count;
        }
        double& uncertainty = scope->costs.uncertainty;
        if (count > 0) uncertainty = std::hypot(uncertainty, std::sqrt(sum / count));
        check_uncertainty(trace.file, name, scope->costs);
      };
  widen(fit.between, "all", "messages between nodes");
  widen(fit.node, fit.between ? "node" : "all", "messages inside nodes");
  return calibration;
}

}  // namespace epochcast
