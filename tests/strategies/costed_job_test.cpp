// SPDX-License-Identifier: Apache-2.0
#include "strategies/costed_job.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "strategies/run_name.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/support/fake_fabric.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::WithinRel;

/// A node with two GPUs, on which a batch of 8 takes these seconds, one value per session.
Job job_with(const std::vector<double>& seconds_by_session) {
  CostTrace trace;
  trace.device = "gpu-a";
  for (std::size_t session = 0; session < seconds_by_session.size(); ++session) {
    BatchSamples samples;
    samples.batch = 8;
    samples.session = static_cast<int>(session);
    samples.total_s = {seconds_by_session[session]};
    trace.batches.push_back(samples);
  }
  DeviceGroup gpus;
  gpus.device_class = "gpu";
  gpus.model = "gpu-a";
  gpus.count = 2;
  NodeGroup node;
  node.devices = {gpus};
  Job job;
  job.platform.name = "box";
  job.platform.nodes = {node};
  job.network.layers = {{.name = "fc", .parameters = 10}};
  job.dataset.train_samples = 160;
  job.traces = {trace};
  job.config.batch = 8;
  job.config.strategy = "all";
  return job;
}

/// The time of a batch on each worker.
std::vector<double> batch_seconds(const CostedJob& job, const CostDraw& draw) {
  std::vector<double> seconds(job.workers().size());
  run_workers(job.workers(), [&](Fabric& fabric) {
    CostLearner learner = job.learner(fabric, draw);
    Worker worker = job.worker(fabric, learner);
    worker.learner.begin_epoch(0);
    worker.learner.forward_backward(worker.config.batch);
    worker.learner.step();
    seconds[static_cast<std::size_t>(fabric.rank())] = fabric.now_s();
  });
  return seconds;
}

TEST_CASE("without a draw, costs are medians") {
  Job job = job_with({1, 3});

  CHECK(batch_seconds(CostedJob(job, "sync"), {}) == std::vector<double>{2, 2});
  job.config.deterministic = true;
  CHECK_FALSE(CostedJob(job, "sync").draw().seed);
  CHECK_FALSE(CostedJob(job, "sync").draw().session);
  CHECK_FALSE(CostedJob(job_with({3, 3}), "sync").draw().seed);
}

TEST_CASE("a single pass draws from one session, the same for all workers") {
  const CostedJob job(job_with({1, 3}), "sync");
  const CostDraw draw = job.draw();

  REQUIRE(draw.session);
  const double seconds = *draw.session == 0 ? 1 : 3;
  CHECK(batch_seconds(job, draw) == std::vector<double>{seconds, seconds});
  CHECK(draw.seed == job.job().config.seed);
}

TEST_CASE("a result has the strategy that ran, with its settings only") {
  Job job = job_with({1});
  all_settings().set(job.config, "averaging-period", "4", "--averaging-period");
  const auto names = [&](const std::string& strategy) {
    Texts found;
    for (const SettingText& setting :
         CostedJob(job, strategy).known_result(Command::simulate).config) {
      if (setting.name == "averaging-period") found.push_back(setting.name);
      if (setting.name == "strategy") found.push_back(setting.value);
    }
    std::sort(found.begin(), found.end());
    return found;
  };

  CHECK(names("sync") == Texts{"sync"});
  CHECK(names("node-based") == Texts{"averaging-period", "node-based"});
  CHECK(CostedJob(job, "sync").known_result(Command::simulate).workers == 2);
}

TEST_CASE("without --local-steps, H is 32, or half of a shorter epoch") {
  const auto steps = [](std::int64_t samples, const std::string& given) {
    Job job = job_with({1});
    job.dataset.train_samples = samples;
    if (!given.empty()) all_settings().set(job.config, "local-steps", given, "--local-steps");
    const CostedJob costed(job, "local-sgd");
    return setting_of(costed.known_result(Command::simulate), "local-steps");
  };

  CHECK(steps(1024, "") == "32");  // 64 steps of 2 workers with batch 8
  CHECK(steps(1008, "") == "31");
  CHECK(steps(160, "") == "5");
  CHECK(steps(16, "") == "1");
  CHECK(steps(160, "7") == "7");
}

TEST_CASE("other settings are checked with the usual H, too") {
  Job job = job_with({1});
  all_settings().set(job.config, "fragments", "8", "--fragments");
  CHECK_THROWS_WITH(CostedJob(job, "diloco"), Catch::Contains("--fragments: got 8; "));
  job.dataset.train_samples = 1024;
  CHECK_NOTHROW(CostedJob(job, "diloco"));
}

TEST_CASE("an unknown all-reduce is a UserError") {
  Job job = job_with({1});
  job.config.all_reduce = "rign";

  CHECK(problems_of([&] { const CostedJob costed(job, "sync"); }).size() == 1);
}

}  // namespace
}  // namespace epochcast::tests
