// SPDX-License-Identifier: Apache-2.0
#include "lab/ablation/mechanisms.hpp"

#include <algorithm>
#include <cmath>

#include "core/costs/batch_cost.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using Samples = std::vector<double>;

Mechanism mechanism(const std::string& name) { return find_mechanisms({name}).front(); }

MessageCosts measured_messages() {
  MessageCosts costs;
  costs.regimes = {{.from_bytes = 0, .latency_s = 1e-5, .bytes_per_s = 1e6},
                   {.from_bytes = 65536, .latency_s = 1e-3, .bytes_per_s = 4e7}};
  costs.uncertainty = 0.02;
  costs.all_reduces = {{.algorithm = "ring",
                        .bytes = 1e6,
                        .measured_s = 2,
                        .forecast_s = 1,
                        .ranks = 7,
                        .deviation = 0.1}};
  return costs;
}

/// Four nodes, one of them with a link of its own, and two ranks of another that share memory.
Platform measured_platform() {
  Platform platform;
  const DeviceGroup device = {
      .device_class = "cpu", .model = "this-cpu", .reduce_bytes_per_s = 1e9};
  NodeGroup fast = {.name = "fast", .count = 1, .devices = {device}, .interconnect = {}};
  fast.uplink = Uplink{.link = {.bytes_per_s = 1e8}, .messages = measured_messages(), .source = {}};
  NodeGroup pairs = {.name = "pairs", .count = 3, .devices = {device, device}, .interconnect = {}};
  pairs.interconnect = Interconnect();
  pairs.interconnect->messages = measured_messages();
  platform.nodes = {fast, pairs};
  platform.network = Interlink();
  platform.network->link = {.bytes_per_s = 5e7};
  platform.network->messages = measured_messages();
  return platform;
}

Platform platform_without(const std::string& name) {
  Platform platform = measured_platform();
  leave_out({mechanism(name)}, platform);
  return platform;
}

/// The costs of messages between nodes, after those of a node's own link and memory were found to
/// be the same.
MessageCosts messages_without(const std::string& name) {
  const Platform platform = platform_without(name);
  CHECK(platform.nodes[0].uplink->messages == platform.network->messages);
  CHECK(platform.nodes[1].interconnect->messages == platform.network->messages);
  return *platform.network->messages;
}

BatchSamples samples_of(std::int64_t batch, std::int64_t rank, Samples total_s) {
  BatchSamples samples;
  samples.batch = batch;
  samples.rank = rank;
  samples.load_s = Samples(total_s.size(), 1);
  samples.forward_s = Samples(total_s.size(), 2);
  samples.backward_s = Samples(total_s.size(), 3);
  samples.step_s = Samples(total_s.size(), 1);
  samples.total_s = std::move(total_s);
  return samples;
}

/// Batches of 8, 16 and 32 on a device, and of 16 on one that is slowed three times.
std::vector<CostTrace> measured_costs() {
  OverlapSamples overlap;
  overlap.batch = 16;
  overlap.all_reduce = "ring";
  overlap.bytes = 1e6;
  overlap.batch_alone_s = {10, 10};
  overlap.batch_s = {20, 40};
  overlap.exchange_alone_s = {1, 1};
  overlap.exchange_s = {1.25, 1.25};
  CostTrace usual;
  usual.device = "cpu";
  usual.batches = {samples_of(8, 0, {4, 5, 6}),
                   samples_of(16, 0, {7, 8, 12}),
                   samples_of(16, 1, {7, 8, 12}),
                   samples_of(32, 0, {14, 15, 16})};
  usual.overlap = {overlap};
  CostTrace slowed = usual;
  slowed.device = "cpu-slowed-3x";
  slowed.batches = {samples_of(16, 0, {30, 31, 32})};
  slowed.overlap.clear();
  return {usual, slowed};
}

std::vector<CostTrace> costs_without(const std::string& name) {
  std::vector<CostTrace> traces = measured_costs();
  leave_out({mechanism(name)}, traces);
  return traces;
}

TEST_CASE("without uplinks every node has the network's link") {
  Platform expected = measured_platform();
  expected.nodes[0].uplink.reset();

  CHECK(platform_without("uplink") == expected);
}

// A measured one took twice what messages say.
TEST_CASE("without all-reduces, they are forecast from messages, and their errors are unknown") {
  const MessageCosts costs = messages_without("all-reduces");

  CHECK(measured_messages().measured_factor("ring", 1e6, 7) == 2);
  CHECK(measured_messages().uncertainty_of("ring", 1e6, 7) == 0.1);
  CHECK(costs.measured_factor("ring", 1e6, 7) == 1);
  CHECK(costs.uncertainty_of("ring", 1e6, 7) == Approx(std::log(2)));
}

TEST_CASE("without uncertainty, measured all-reduces keep their times") {
  const MessageCosts costs = messages_without("uncertainty");

  CHECK(costs.uncertainty == 0);
  CHECK(costs.uncertainty_of("ring", 1e6, 7) == 0);
  CHECK(costs.measured_factor("ring", 1e6, 7) == 2);
}

TEST_CASE("without adding every device adds at once") {
  Platform expected = measured_platform();
  for (NodeGroup& group : expected.nodes) {
    for (DeviceGroup& device : group.devices) device.reduce_bytes_per_s = 0;
  }

  CHECK(platform_without("adding") == expected);
}

TEST_CASE("without overlap its costs are not known") {
  const BatchCost cost(costs_without("overlap")[0]);

  CHECK_FALSE(cost.overlap().is_known);
}

TEST_CASE("without loading batches are shorter by it") {
  const BatchSamples samples = costs_without("loading")[0].batches[1];

  CHECK(samples.total_s == Samples{6, 7, 11});
  CHECK(samples.load_s == Samples{0, 0, 0});
  CHECK(samples.forward_s == Samples{2, 2, 2});
}

TEST_CASE("without other sizes costs are in proportion to the middle one") {
  const BatchCost cost(costs_without("other-sizes")[0]);

  CHECK(cost.measured_batches() == std::vector<std::int64_t>{16});
  CHECK(cost.median(32).total_s() == 16);
}

TEST_CASE("without slowed devices a slowed one takes a multiple of the other") {
  const std::vector<CostTrace> traces = costs_without("slowed");

  CHECK(traces[0] == measured_costs()[0]);
  CHECK(traces[1].device == "cpu-slowed-3x");
  CHECK(traces[1].batches[1].total_s == Samples{21, 24, 36});
  CHECK(traces[1].batches[1].backward_s == Samples{9, 9, 9});
  CHECK(traces[1].overlap == traces[0].overlap);
}

TEST_CASE("a slowed device stays as measured where the device itself was not measured") {
  std::vector<CostTrace> traces = {measured_costs()[1]};
  leave_out({mechanism("slowed")}, traces);

  CHECK(traces[0] == measured_costs()[1]);
}

TEST_CASE("without noise each batch takes the mean of its size and rank") {
  const std::vector<CostTrace> traces = costs_without("noise");

  CHECK(traces[0].batches[0].total_s == Samples{5, 5, 5});
  CHECK(traces[0].batches[1].total_s == Samples{9, 9, 9});
  CHECK(BatchCost(traces[0]).of_worker(0).median(16).total_s() == 9);
}

TEST_CASE("without common noise ranks have the same samples, each in an order of its own") {
  Samples rising(100);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<double>(i);
  std::vector<CostTrace> traces(1);
  traces[0].batches = {samples_of(16, 0, rising), samples_of(16, 1, rising)};
  leave_out({mechanism("common-noise")}, traces);
  std::vector<Samples> shuffled = {traces[0].batches[0].total_s, traces[0].batches[1].total_s};

  CHECK(shuffled[0] != rising);
  CHECK(shuffled[0] != shuffled[1]);
  for (Samples& samples : shuffled) {
    std::sort(samples.begin(), samples.end());
    CHECK(samples == rising);
  }
}

TEST_CASE("figures that were not measured cannot be left out") {
  Platform platform;
  platform.nodes = {{.name = "n",
                     .count = 2,
                     .devices = {{.device_class = "cpu", .model = "m"}},
                     .interconnect = {}}};
  platform.network = Interlink();
  CostTrace trace;
  trace.batches.emplace_back();
  trace.batches.back().total_s = {1};

  for (const Mechanism& each : mechanisms()) {
    CAPTURE(std::string(each.name));
    Platform same = platform;
    std::vector<CostTrace> costs = {trace};
    leave_out({each}, same);
    leave_out({each}, costs);
    CHECK(same == platform);
    CHECK(costs.front() == trace);
  }
}

TEST_CASE("unknown and duplicate mechanisms are reported together") {
  CHECK(problems_of([] {
          (void)find_mechanisms({"uplnk", "noise", "uplink", "noise"});
        }) == Texts{"unknown mechanism \"uplnk\"; did you mean \"uplink\"?",
                    "duplicate mechanism \"noise\""});
}

}  // namespace
}  // namespace epochcast::tests
