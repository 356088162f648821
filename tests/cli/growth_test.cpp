// SPDX-License-Identifier: Apache-2.0
// Memory and time of thousands of workers: common values are kept once.
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

#ifndef __SANITIZE_ADDRESS__  // which uses additional memory
namespace epochcast::tests {
namespace {

/// Nodes with four GPUs that train and a CPU that trains, too, or aggregates.
std::string cluster_of(int nodes) {
  const std::string source = R"("source": {"grade": "estimated", "method": "made up"})";
  return R"({"schema": "epochcast.platform/1", "name": "many", "title": "many", )" + source +
         R"(, "nodes": [{"name": "node", "count": )" + std::to_string(nodes) +
         R"(, "devices": [{"class": "gpu", "model": "test-gpu", "count": 4, "reduce": "300GBps"},)"
         R"( {"class": "cpu", "model": "test-cpu", "count": 1, "reduce": "30GBps"}],)"
         R"( "interconnect": {"topology": "pcie", "bandwidth": "12GBps", "latency": "1us", )" +
         source + R"(}}], "network": {"topology": "star", "bandwidth": "100Gbps",)" +
         R"( "latency": "1us", )" + source + "}}";
}

// A worker needs two stacks, of which a few pages are used, and SimGrid's data of its links and
// actors: 30 KiB as measured. One stack in full, or 8,000 numbers about others, would be over 64.
void check_growth(const std::string& settings, double most_kib = 64) {
  constexpr double kWorkers = 1000;
  const Folder folder;
  folder.write("small.json", cluster_of(20));
  folder.write("large.json", cluster_of(220));
  const std::string job =
      "simulate --network resnet20 --dataset cifar10 --batch 4 --epochs 2 --format csv "
      "--batch-seconds gpu=10ms,cpu=20ms " +
      settings + " ";

  const Outcome small = folder.run(job + "--platform small.json");
  const Outcome large = folder.run(job + "--platform large.json");

  CHECK(small.status == 0);
  CHECK(large.status == 0);
  CHECK(lines(large.out).size() == lines(small.out).size());
  CHECK(large.peak_bytes - small.peak_bytes < kWorkers * most_kib * 1024);
}

TEST_CASE("memory grows with the workers, by at most 64 KiB for each", "[cli]") {
  check_growth("--partition functional --local-steps 2 --strategy hetgrad,local-sgd");
}

TEST_CASE("with every strategy memory grows by at most 64 KiB for each worker, messages apart",
          "[cli][long]") {
  std::string in_step;
  for (const Strategy& strategy : strategies()) {
    const bool sends_messages = strategy.name == "gossip" || strategy.name == "ad-psgd";
    // Servers are asked for by name: they take workers times servers.
    const bool has_servers = strategy.participants == Participants::workers_and_parameter_servers;
    if (!sends_messages && !has_servers)
      in_step += (in_step.empty() ? "" : ",") + std::string(strategy.name);
  }
  check_growth("--partition functional --local-steps 2 --strategy " + in_step);
  // An actor for each message that a worker has under way.
  check_growth("--strategy gossip,ad-psgd", 512);
}

}  // namespace
}  // namespace epochcast::tests
#endif
