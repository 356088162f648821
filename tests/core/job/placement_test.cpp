// SPDX-License-Identifier: Apache-2.0
#include "core/job/placement.hpp"

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

DeviceGroup devices(const char* device_class, const char* model, int count, bool is_worker) {
  DeviceGroup group;
  group.device_class = device_class;
  group.model = model;
  group.count = count;
  group.is_worker = is_worker;
  return group;
}

NodeGroup nodes(int count, std::vector<DeviceGroup> devices) {
  NodeGroup group;
  group.count = count;
  group.devices = std::move(devices);
  return group;
}

/// Two nodes of a CPU and two GPUs, then one of two CPUs.
Platform mixed() {
  Platform platform;
  platform.name = "box";
  platform.path = "box.json";
  platform.nodes = {
      nodes(2, {devices("cpu", "xeon", 1, false), devices("gpu", "v100", 2, true)}),
      nodes(1, {devices("cpu", "epyc", 2, true)}),
  };
  return platform;
}

double batch_s(const WorkerInfo& worker) { return worker.model == "v100" ? 0.1 : 1; }

std::vector<WorkerInfo> placed(const JobConfig& config,
                               Participants participants = Participants::workers,
                               const Platform& platform = mixed(),
                               const ServerChoice& servers = {}) {
  return place(platform, config, "byteps", participants, batch_s, servers);
}

/// "node.device model", and "+" for a server.
Texts texts(const std::vector<WorkerInfo>& workers) {
  Texts texts;
  for (const WorkerInfo& worker : workers) {
    texts.push_back(std::to_string(worker.node) + "." + std::to_string(worker.device) + " " +
                    worker.model + (worker.role == Role::sums ? "+" : ""));
  }
  return texts;
}

TEST_CASE("ranks go node by node in the order of the platform file, devices keep their index") {
  CHECK(texts(placed({})) ==
        Texts{"0.1 v100", "0.2 v100", "1.1 v100", "1.2 v100", "2.0 epyc", "2.1 epyc"});
  CHECK(texts(all_devices(mixed(), {})) == Texts{"0.0 xeon",
                                                 "0.1 v100",
                                                 "0.2 v100",
                                                 "1.0 xeon",
                                                 "1.1 v100",
                                                 "1.2 v100",
                                                 "2.0 epyc",
                                                 "2.1 epyc"});
}

TEST_CASE("ranks that share a device share its memory and its speed") {
  Platform platform = mixed();
  for (NodeGroup& group : platform.nodes) group.interconnect = Interconnect();
  platform.nodes[0].devices[1].memory_bytes = 32e9;
  platform.nodes[0].devices[1].reduce_bytes_per_s = 1e10;
  JobConfig config;
  config.ranks_per_device = 2;
  config.nodes = 1;

  const std::vector<WorkerInfo> workers = placed(config, Participants::workers, platform);

  CHECK(texts(workers) == Texts{"0.1 v100", "0.1 v100", "0.2 v100", "0.2 v100"});
  CHECK(workers[0].sharers == 2);
  CHECK(workers[0].memory_bytes == 16e9);
  CHECK(workers[0].reduce_s_per_byte == 2e-10);
  CHECK(texts(placed(config, Participants::workers_and_servers, platform)) ==
        Texts{"0.1 v100", "0.1 v100", "0.2 v100", "0.2 v100", "0.0 xeon+"});
}

TEST_CASE("ranks can share a device only with a link to exchange over") {
  JobConfig config;
  config.ranks_per_device = 2;
  CHECK_THROWS_WITH(placed(config),
                    Catch::Matchers::Contains("have no `interconnect`, over which ranks of one "
                                              "device would exchange; add one"));
}

TEST_CASE("a worker has its device's memory and reduction speed") {
  Platform platform = mixed();
  platform.nodes[0].devices[1].memory_bytes = 32e9;
  platform.nodes[0].devices[1].reduce_bytes_per_s = 1e10;

  const std::vector<WorkerInfo> workers = placed({}, Participants::workers, platform);

  CHECK(workers[0].memory_bytes == 32e9);
  CHECK(workers[0].reduce_s_per_byte == 1e-10);
  CHECK(workers[0].device_class == "gpu");
  CHECK(workers[4].memory_bytes == 0);
}

TEST_CASE("--nodes takes the platform's first nodes") {
  JobConfig config;
  config.nodes = 1;

  CHECK(texts(placed(config)) == Texts{"0.1 v100", "0.2 v100"});
}

TEST_CASE("--workers replaces the platform's choice by a device class, or all") {
  JobConfig config;
  config.workers = "cpu";
  CHECK(texts(placed(config)) == Texts{"0.0 xeon", "1.0 xeon", "2.0 epyc", "2.1 epyc"});

  config.workers = "all";
  CHECK(placed(config).size() == 8);
}

TEST_CASE("only the fastest device model takes part if a strategy requires it") {
  CHECK(texts(placed({}, Participants::fastest_workers)) ==
        Texts{"0.1 v100", "0.2 v100", "1.1 v100", "1.2 v100"});

  const auto slow_gpu = [](const WorkerInfo& worker) { return worker.model == "v100" ? 2. : 1; };
  CHECK(texts(place(mixed(), {}, "sync-fastest", Participants::fastest_workers, slow_gpu)) ==
        Texts{"2.0 epyc", "2.1 epyc"});
}

TEST_CASE("summation servers are CPUs, with ranks after all that train") {
  CHECK(texts(placed({}, Participants::workers_and_servers)) == Texts{"0.1 v100",
                                                                      "0.2 v100",
                                                                      "1.1 v100",
                                                                      "1.2 v100",
                                                                      "0.0 xeon+",
                                                                      "1.0 xeon+",
                                                                      "2.0 epyc+",
                                                                      "2.1 epyc+"});
}

TEST_CASE("more nodes than the platform has are refused") {
  JobConfig config;
  config.nodes = 4;

  CHECK(
      problems_of([&] { placed(config); }) ==
      Texts{
          "--nodes: got 4; platform box (box.json) has 3 nodes; set node.count for more of them"});

  config.nodes = 2;
  Platform single = mixed();
  single.nodes = {nodes(1, {devices("gpu", "v100", 1, true)})};
  CHECK(
      problems_of([&] { placed(config, Participants::workers, single); }) ==
      Texts{"--nodes: got 2; platform box (box.json) has 1 node; set node.count for more of them"});
}

TEST_CASE("a device class that the chosen nodes do not have is refused") {
  JobConfig config;
  config.workers = "gpus";
  CHECK(problems_of([&] { placed(config); }) ==
        Texts{"--workers: unknown device class \"gpus\"; did you mean \"gpu\"? (platform box)"});

  config.workers = "accelerator";
  CHECK(problems_of([&] { placed(config); }) ==
        Texts{"--workers: unknown device class \"accelerator\"; known: cpu, gpu, all (platform "
              "box)"});
}

TEST_CASE("a platform that marks no worker needs --workers") {
  Platform idle = mixed();
  idle.nodes = {nodes(1, {devices("cpu", "xeon", 1, false)})};

  CHECK(problems_of([&] { placed({}, Participants::workers, idle); }) ==
        Texts{"platform box (box.json) marks no device as a worker; choose a class with "
              "--workers"});
}

TEST_CASE("CPU nodes without workers take part in jobs with servers only") {
  Platform platform = mixed();
  platform.nodes = {nodes(2, {devices("gpu", "v100", 2, true)}),
                    nodes(2, {devices("cpu", "xeon", 1, false)})};
  const Texts gpus = {"0.0 v100", "0.1 v100", "1.0 v100", "1.1 v100"};

  CHECK(texts(placed({}, Participants::workers, platform)) == gpus);
  CHECK(texts(placed({}, Participants::workers_and_servers, platform)) ==
        Texts{"0.0 v100", "0.1 v100", "1.0 v100", "1.1 v100", "2.0 xeon+", "3.0 xeon+"});
}

TEST_CASE("byteps needs both devices that train and CPUs that aggregate") {
  Platform platform = mixed();
  platform.nodes = {nodes(1, {devices("gpu", "v100", 2, true)})};
  CHECK(problems_of([&] { placed({}, Participants::workers_and_servers, platform); }) ==
        Texts{"strategy byteps needs devices that train and CPUs that sum; platform box has only "
              "the former; add CPUs to the `devices` of its nodes, such as {\"class\": \"cpu\", "
              "\"model\": \"host\", \"count\": 2, \"reduce\": \"10GBps\"}"});

  platform.nodes = {nodes(1, {devices("cpu", "xeon", 2, true)})};
  CHECK(problems_of([&] { placed({}, Participants::workers_and_servers, platform); }) ==
        Texts{"strategy byteps needs devices that train and CPUs that sum; platform box has only "
              "CPUs"});
}

TEST_CASE("a parameter server without a device of its own is on the first worker's") {
  Platform platform = mixed();
  platform.nodes = {nodes(1, {devices("gpu", "v100", 2, true)}),
                    nodes(1, {devices("cpu", "xeon", 1, false)})};
  const Participants participants = Participants::workers_and_parameter_servers;
  CHECK(texts(placed({}, participants, platform)) == Texts{"0.0 v100", "0.1 v100", "1.0 xeon+"});

  platform.nodes.pop_back();
  CHECK(problems_of([&] { placed({}, participants, platform); }) ==
        Texts{"strategy byteps has servers on devices of box that train, as no CPU serves other "
              "devices; nodes \"\" of box.json have no `interconnect`, over which ranks of one "
              "device would exchange; add one"});

  platform.nodes[0].interconnect = Interconnect();
  CHECK(texts(placed({}, participants, platform)) == Texts{"0.0 v100", "0.1 v100", "0.0 v100+"});

  platform.nodes[0].devices = {devices("cpu", "xeon", 2, true)};
  CHECK(texts(placed({}, participants, platform)) == Texts{"0.0 xeon", "0.1 xeon", "0.0 xeon+"});
}

TEST_CASE("chosen servers are on each node in turn, or on the first nodes") {
  const auto servers_of = [](const ServerChoice& choice) {
    const Texts all = texts(placed({}, Participants::workers_and_servers, mixed(), choice));
    return Texts(all.begin() + 4, all.end());  // after the GPUs
  };
  CHECK(servers_of({.count = 1}) == Texts{"0.0 xeon+"});
  CHECK(servers_of({.count = 3}) == Texts{"0.0 xeon+", "1.0 xeon+", "2.0 epyc+"});
  CHECK(servers_of({.count = 4}) == servers_of({}));
  CHECK(problems_of([&] { servers_of({.count = 5}); }) ==
        Texts{"--servers: got 5; the job has 4 devices that serve"});

  const std::vector<int> nodes = {0, 0, 1, 1, 2};
  CHECK(chosen_servers(nodes, {.count = 4}) == std::vector<std::size_t>{0, 1, 2, 4});
  CHECK(chosen_servers(nodes, {.count = 4, .placement = ServerPlacement::packed}) ==
        std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("chosen servers without devices of their own are beside workers, on each node in turn") {
  Platform platform = mixed();
  platform.nodes = {nodes(2, {devices("gpu", "v100", 2, true)})};
  platform.nodes[0].interconnect = Interconnect();
  JobConfig config;
  config.ranks_per_device = 2;
  const auto participants = Participants::workers_and_parameter_servers;
  const Texts all = texts(placed(config, participants, platform, {.count = 3}));

  CHECK(Texts(all.begin() + 8, all.end()) == Texts{"0.0 v100+", "0.1 v100+", "1.0 v100+"});
  CHECK(problems_of([&] { placed(config, participants, platform, {.count = 5}); }) ==
        Texts{"--servers: got 5; the job has 4 devices that serve"});
}

}  // namespace
}  // namespace epochcast::tests
