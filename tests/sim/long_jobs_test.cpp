// SPDX-License-Identifier: Apache-2.0
// Jobs whose clock grows until a double no longer resolves short times, and their later epochs.
#include <map>
#include <string>

#include "core/job/job.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("two epochs of hours are forecast as by full simulation") {
  // Beyond 8,192 s, neighbouring doubles are more than 1e-12 s apart.
  const std::map<std::string, std::string> settings = {
      {"platform", EPOCHCAST_SOURCE_DIR "/tests/sim/data/long_clock.json"},
      {"network", "resnet18"},
      {"dataset", "cifar10"},
      {"train-samples", "50000"},
      {"batch", "32"},
      {"epochs", "2"},
      {"all-reduce", "binary-tree"},
      {"deterministic", "on"},
      {"batch-seconds",
       "epyc-7543=42836976.3125us,rtx4090=9936515.83339us,xeon-gold-6146=9758240.88622us"}};
  JobConfig config;
  for (const auto& [name, value] : settings) all_settings().set(config, name, value, "--" + name);
  const Job job = load_job(config, Catalog(EPOCHCAST_SOURCE_DIR));
  Job exact = job;
  exact.config.exact = true;

  const std::vector<RunResult> results = forecasts({{job, "node-based"}, {exact, "node-based"}});

  check_equal(results[0], results[1]);
}

TEST_CASE("loops inside nodes are extrapolated once an exchange of all nodes has ended") {
  // Some members of a binary tree end earlier than others and begin the next epoch.
  const Program program = [](Fabric& fabric) {
    for (int epoch = 0; epoch < 3; ++epoch) {
      fabric.repeat(fabric.node(), 1000, [&](std::int64_t) {
        fabric.compute(10e-3, "batch");
        fabric.all_reduce(payload_of_bytes(1e6), 1, fabric.node());
      });
      fabric.all_reduce(payload_of_bytes(200e6), 1, fabric.world());
    }
  };
  const Platform platform = mixed(4, 2, 0, pcie(), star());

  const Observed exact = observe_exactly(platform, program, "binary-tree");
  const Observed fast = observe(platform, program, {}, "binary-tree");

  CHECK(fast.passes == 1);
  CHECK(fast.messages < exact.messages / 10);
  for (std::size_t rank = 0; rank < exact.now_s.size(); ++rank) {
    CAPTURE(rank);
    CHECK(fast.now_s[rank] == Approx(exact.now_s[rank]).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace epochcast::tests
