// SPDX-License-Identifier: Apache-2.0
// Speed-ups that Moreno-Alvarez et al. (TNNLS 2023) print for node-based communication, forecast
// from estimated costs. Nothing is calibrated, nothing tuned: docs/fidelity.md says how far off.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/job/job.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/fidelity/documented.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

nlohmann::json tnnls() {
  std::ifstream in(EPOCHCAST_SOURCE_DIR "/traces/published.json");
  return nlohmann::json::parse(in).at("node_based");
}

double epoch_s(const Settings& settings, const std::string& strategy) {
  JobConfig config;
  for (const auto& [name, value] : settings) set_setting(config, name, value, name);
  return forecast_of(load_job(config, Catalog(EPOCHCAST_SOURCE_DIR)), strategy).epoch_s;
}

/// How many times as fast node-based communication is as sync.
double speedup(const Settings& settings) {
  return epoch_s(settings, "sync") / epoch_s(settings, "node-based");
}

/// The same against sync that exchanges gradients in buckets while backward runs.
double speedup_over_overlap(Settings settings) {
  const double node_based_s = epoch_s(settings, "node-based");
  settings.emplace_back("overlap", "bucket");
  return epoch_s(settings, "sync") / node_based_s;
}

std::string percent(double speedup) { return fixed(100 * (speedup - 1), 1) + " %"; }

TEST_CASE("table III: ResNets on 4 to 20 nodes of DEEP-EST's ESB, one V100 each") {
  const nlohmann::json printed_rows = tnnls().at("rows");
  for (const auto& row : printed_rows) {
    const std::string network = row.at("network");
    for (std::size_t i = 0; i < row.at("nodes").size(); ++i) {
      const int nodes = row.at("nodes")[i];
      const double printed = row.at("speedup_percent")[i];
      const Settings job = {{"platform", "deep-est-esb"},
                            {"nodes", std::to_string(nodes)},
                            {"network", network},
                            {"dataset", "cifar100"},
                            {"batch", "128"}};
      const double forecast = speedup(job);
      check_documented("| " + network + " | " + std::to_string(nodes) + " | " + percent(forecast) +
                       " | " + percent(speedup_over_overlap(job)) + " | " + fixed(printed, 1) +
                       " % |");
      CHECK(forecast > 1);  // fewer exchanges of the same size
    }
  }
}

TEST_CASE("ImageNet on CETA: 16 V100 in 4 nodes, K' = 50, batch 64") {
  const nlohmann::json printed = tnnls().at("imagenet_ceta_ta_R16_M4");
  for (const std::string network : {"resnet18", "resnet34"}) {
    const double forecast = speedup({{"platform", "ceta-ta"},
                                     {"network", network},
                                     {"dataset", "imagenet"},
                                     {"batch", "64"},
                                     {"averaging-period", "50"}});
    check_documented("| " + network + " | " + percent(forecast) + " | " +
                     fixed(printed.at(network), 2) + " |");
    CHECK(forecast > 1);
  }
}

TEST_CASE("recurrent networks on MNIST and the GAN: 4 workers in 2 nodes") {
  const nlohmann::json printed = tnnls();
  const auto check = [](const std::string& network, double printed_percent) {
    const Settings job = {{"nodes", "2"},
                          {"network", network},
                          {"dataset", "mnist"},
                          {"batch", "64"},
                          {"averaging-period", "50"}};
    Settings shared = job;
    shared.insert(shared.end(), {{"platform", "deep-est-esb"}, {"ranks-per-device", "2"}});
    Settings apart = job;
    apart.insert(apart.end(),
                 {{"platform", EPOCHCAST_SOURCE_DIR "/tests/fidelity/data/ceta-2.json"}});
    check_documented("| " + network + " | " + percent(speedup(shared)) + " | " +
                     percent(speedup(apart)) + " | " + fixed(printed_percent, 1) + " % |");
  };
  for (const std::string network : {"lstm", "gru", "rnn"})
    check(network, printed.at("mnist_rnn_R4_M2_percent").at(network));
  check("gan", printed.at("gan_percent"));
}

}  // namespace
}  // namespace epochcast::tests
