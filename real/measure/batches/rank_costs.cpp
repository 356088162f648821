// SPDX-License-Identifier: Apache-2.0
#include "real/measure/batches/rank_costs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace epochcast::real {
namespace {

using Json = nlohmann::json;

Json batch_json(const BatchCosts& batch) {
  Json samples = Json::array();
  for (const BatchTiming& timing : batch.samples) {
    samples.push_back(
        {timing.load_s, timing.forward_s, timing.backward_s, timing.step_s, timing.cpu_s});
  }
  return {{"batch", batch.batch},
          {"preempted", batch.preempted},
          {"dropped", batch.dropped},
          {"samples", std::move(samples)}};
}

BatchCosts batch_from(const Json& json, int rank) {
  BatchCosts batch = {.batch = json.at("batch"),
                      .rank = rank,
                      .preempted = json.at("preempted"),
                      .dropped = json.at("dropped")};
  for (const Json& sample : json.at("samples")) {
    batch.samples.push_back({.load_s = sample.at(0),
                             .forward_s = sample.at(1),
                             .backward_s = sample.at(2),
                             .step_s = sample.at(3),
                             .cpu_s = sample.at(4)});
  }
  return batch;
}

Json overlap_json(const OverlapSamples& overlap) {
  return {{"batch", overlap.batch},
          {"all_reduce", overlap.all_reduce},
          {"bytes", overlap.bytes},
          {"batch_alone", overlap.batch_alone_s},
          {"batch_beside", overlap.batch_s},
          {"exchange_alone", overlap.exchange_alone_s},
          {"exchange_beside", overlap.exchange_s}};
}

OverlapSamples overlap_from(const Json& json, int rank) {
  return {.batch = json.at("batch"),
          .rank = rank,
          .all_reduce = json.at("all_reduce"),
          .bytes = json.at("bytes"),
          .batch_alone_s = json.at("batch_alone"),
          .batch_s = json.at("batch_beside"),
          .exchange_alone_s = json.at("exchange_alone"),
          .exchange_s = json.at("exchange_beside")};
}

Json kernels_json(const std::vector<KernelSamples>& kernels) {
  Json json = Json::array();
  for (const KernelSamples& each : kernels)
    json.push_back({each.compression, each.kernel, each.moved_bytes, each.seconds});
  return json;
}

/// Adds the times of another rank, which has measured the same kernels in the same order.
void add_kernels(const Json& json, std::vector<KernelSamples>& kernels) {
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (i == kernels.size())
      kernels.push_back(
          {.compression = json[i].at(0), .kernel = json[i].at(1), .moved_bytes = json[i].at(2)});
    for (const Json& seconds : json[i].at(3)) kernels[i].seconds.push_back(seconds);
  }
}

NetworkCosts network_from(const Json& json) {
  NetworkCosts costs = {.network = json.at("network"),
                        .input = json.at("input"),
                        .layers_batch = json.at("layers_batch")};
  for (const Json& layer : json.at("layers"))
    costs.backward_layers.push_back({.name = layer.at(0), .share = layer.at(1)});
  return costs;
}

}  // namespace

std::string rank_costs_text(std::span<const NetworkCosts> costs) {
  Json all = Json::array();
  for (const NetworkCosts& cost : costs) {
    Json batches = Json::array();
    for (const BatchCosts& batch : cost.batches) batches.push_back(batch_json(batch));
    Json layers = Json::array();
    for (const LayerShare& layer : cost.backward_layers)
      layers.push_back({layer.name, layer.share});
    Json overlaps = Json::array();
    for (const OverlapSamples& overlap : cost.overlap) overlaps.push_back(overlap_json(overlap));
    all.push_back({{"network", cost.network},
                   {"input", cost.input},
                   {"batches", std::move(batches)},
                   {"layers", std::move(layers)},
                   {"layers_batch", cost.layers_batch},
                   {"overlaps", std::move(overlaps)},
                   {"kernels", kernels_json(cost.kernels)}});
  }
  return all.dump();
}

std::vector<NetworkCosts> joined_costs(const std::vector<std::string>& texts) {
  std::vector<NetworkCosts> joined;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const Json all = Json::parse(texts[rank]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (rank == 0) joined.push_back(network_from(all[i]));
      for (const Json& batch : all[i].at("batches"))
        joined[i].batches.push_back(batch_from(batch, static_cast<int>(rank)));
      for (const Json& overlap : all[i].at("overlaps"))
        joined[i].overlap.push_back(overlap_from(overlap, static_cast<int>(rank)));
      add_kernels(all[i].at("kernels"), joined[i].kernels);
    }
  }
  for (NetworkCosts& costs : joined) {
    std::stable_sort(costs.batches.begin(), costs.batches.end(), [](const auto& a, const auto& b) {
      return a.batch < b.batch;
    });
  }
  return joined;
}

}  // namespace epochcast::real
