// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/collective_times.hpp"

#include <algorithm>
#include <exception>

#include "collectives/registry.hpp"
#include "core/formats/node_links.hpp"
#include "core/job/job_config.hpp"
#include "core/job/placement.hpp"
#include "sim/exchange/runtime.hpp"

namespace epochcast::sim {

std::vector<double> all_reduce_times(const Platform& platform,
                                     const std::vector<AllReduceCase>& cases) {
  for (const AllReduceCase& each : cases) check_all_reduce(each.algorithm);
  const std::vector<WorkerInfo> workers = place(
      platform, JobConfig{}, {}, Participants::workers, [](const WorkerInfo&) { return 1.0; });
  std::vector<double> slowest_s(cases.size(), 0);
  Cluster cluster(platform, platform.node_count(), true);
  Runtime runtime(cluster,
                  workers,
                  AllReduceChoice{},
                  {.acceleration = Acceleration::none, .fixed_exchange = {}});
  const auto program = [&](Fabric& fabric) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::vector<int>& ranks =
          cases[i].scope == "node" ? fabric.node().ranks : fabric.world().ranks;
      const Communicator& among = fabric.communicator(
          ranks, {.algorithm = cases[i].algorithm, .servers = {}, .links = node_links(platform)});
      fabric.barrier(fabric.world());
      const double before_s = fabric.phases().exposed_communication_s;
      fabric.all_reduce(payload_of_bytes(cases[i].bytes), 1, among);
      const double own_s = fabric.phases().exposed_communication_s - before_s;
      slowest_s[i] = std::max(slowest_s[i], own_s);
    }
  };
  std::exception_ptr error;
  cluster.run([&] {
    try {
      static_cast<void>(runtime.run_pass(program, {}));
    } catch (const std::exception&) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
  return slowest_s;
}

}  // namespace epochcast::sim
