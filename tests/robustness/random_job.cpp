// SPDX-License-Identifier: Apache-2.0
#include "tests/robustness/random_job.hpp"

#include "base/error.hpp"
#include "collectives/registry.hpp"
#include "core/job/placement.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/strategy.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

bool has_participants(const Job& job, const Strategy& strategy) {
  try {
    (void)place(
        job.platform, job.config, strategy.name, strategy.participants, [](const WorkerInfo&) {
          return 1.0;
        });
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

Run random_run(std::uint64_t seed, const PlatformRange& range) {
  Dice dice(seed);
  const Platform platform = random_platform(dice, range);
  const std::int64_t workers = static_cast<std::int64_t>(all_devices(platform, JobConfig{}).size());
  Run run = {job_on(platform, workers * 8 * dice.between(3, 6)), {}};
  Job& job = run.job;
  for (Layer& layer : job.network.layers) layer.parameters /= 20;
  const auto& algorithms = all_reduce_names();
  const auto& known = strategies();
  const std::size_t combination = seed % (algorithms.size() * known.size());
  job.config.all_reduce = algorithms[combination % algorithms.size()].name;
  const Strategy& strategy = known[combination / algorithms.size()];
  const bool has_relations = has_participants(job, strategy) && !depends_on_arrivals(strategy);
  run.strategy = has_relations ? strategy.name : "sync";
  job.config.epochs = dice.between(1, 3);
  job.config.overlap = dice.one_of({Overlap::none, Overlap::bucket});
  job.config.bucket_bytes = dice.magnitude(1e5, 4e6);
  set(job.config, "partition-bytes", shortest(dice.magnitude(1e5, 4e6)) + "B");
  set(job.config, "local-steps", dice.between(1, 3));
  set(job.config, "averaging-period", dice.between(1, 3));
  if (refuses_overlap(job, run.strategy)) job.config.overlap = Overlap::none;
  return run;
}

Run on_platform(Run run, const Platform& platform) {
  run.job.platform = platform;
  return run;
}

}  // namespace epochcast::tests
