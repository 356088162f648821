// SPDX-License-Identifier: Apache-2.0
#include "bench/messages.hpp"

#include <chrono>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "core/job/placement.hpp"
#include "sim/exchange/runtime.hpp"

namespace epochcast::bench {
namespace {

Platform star(int hosts) {
  DeviceGroup device;
  device.device_class = device.model = "device";
  Platform platform;
  platform.name = "star";
  platform.nodes.push_back(
      {.name = "node", .count = hosts, .devices = {device}, .interconnect = {}});
  Interlink network;
  network.link = {.bytes_per_s = 12.5e9, .latency_s = 1e-6};
  platform.network = network;
  return platform;
}

class Stopwatch {
 public:
  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// One host's part: 2(P-1) steps per all-reduce, each sends right and receives from the left.
void run_bare_host(int rank, const RingLoad& load) {
  namespace sg = simgrid::s4u;
  static int message = 0;
  const auto box = [&](int from) {
    return sg::Mailbox::by_name("ring-" + std::to_string((from + load.hosts) % load.hosts));
  };
  sg::Mailbox* to_right = box(rank);
  sg::Mailbox* from_left = box(rank - 1);
  const auto bytes = static_cast<std::uint64_t>(std::llround(load.bytes / load.hosts));
  const int steps = 2 * (load.hosts - 1) * load.all_reduces;
  for (int step = 0; step < steps; ++step) {
    int* received = nullptr;
    const sg::CommPtr sending = to_right->put_async(&message, bytes);
    const sg::CommPtr receiving = from_left->get_async<int>(&received);
    sending->wait();
    receiving->wait();
  }
}

}  // namespace

double fabric_messages_per_s(const RingLoad& load) {
  const Platform platform = star(load.hosts);
  sim::Cluster cluster(platform, load.hosts);
  sim::Runtime runtime(cluster,
                       all_devices(platform, JobConfig{}),
                       {.algorithm = "ring", .servers = {}},
                       {.acceleration = sim::Acceleration::none, .fixed_exchange = std::nullopt});
  const Stopwatch watch;
  cluster.run([&] {
    const auto program = [&](Fabric& fabric) {
      for (int i = 0; i < load.all_reduces; ++i) {
        fabric.all_reduce(payload_of_bytes(load.bytes), 1, fabric.world());
      }
    };
    while (!runtime.run_pass(program, {})) {
    }
  });
  return static_cast<double>(runtime.simulated_messages()) / watch.elapsed_s();
}

double bare_messages_per_s(const RingLoad& load) {
  const Platform platform = star(load.hosts);
  sim::Cluster cluster(platform, load.hosts);
  const Stopwatch watch;
  cluster.run([&] {
    for (int rank = 0; rank < load.hosts; ++rank) {
      simgrid::s4u::Actor::create(
          "ring", cluster.host(rank, 0), [rank, load] { run_bare_host(rank, load); });
    }
  });
  const double messages = 2.0 * (load.hosts - 1) * load.hosts * load.all_reduces;
  return messages / watch.elapsed_s();
}

}  // namespace epochcast::bench
