// SPDX-License-Identifier: Apache-2.0
#include "strategies/costed_job.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/core/problems_of.hpp"
#include "tests/support/fake_fabric.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::WithinRel;

/// A node with two GPUs, on which a batch of 8 takes so many seconds, in a session each.
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

/// What a batch takes on each worker.
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

TEST_CASE("medians are taken where nothing is drawn") {
  Job job = job_with({1, 3});

  CHECK(batch_seconds(CostedJob(job, "sync"), {}) == std::vector<double>{2, 2});
  job.config.deterministic = true;
  CHECK_FALSE(CostedJob(job, "sync").draw().seed);
  CHECK_FALSE(CostedJob(job, "sync").draw().session);
  CHECK_FALSE(CostedJob(job_with({3, 3}), "sync").draw().seed);
}

TEST_CASE("a batch costs what batches cost after exchanges where one was since the last one") {
  Job job = job_with({1});
  job.platform.nodes[0].devices[0].count = GENERATE(1, 2);
  job.traces[0].overlap = {{.batch = 8,
                            .all_reduce = "ring",
                            .bytes = 40,
                            .batch_alone_s = {1},
                            .batch_after_s = {1.25},
                            .batch_second_after_s = {1.125},
                            .batch_s = {1},
                            .exchange_alone_s = {1},
                            .exchange_s = {1}}};
  const CostedJob costed(job, "sync");
  run_workers(costed.workers(), [&](Fabric& fabric) {
    CostLearner learner = costed.learner(fabric, {});
    const auto seconds_of = [&](const std::function<void()>& work) {
      const double began_s = fabric.now_s();
      work();
      return fabric.now_s() - began_s;
    };
    const auto batch = [&] {
      learner.forward_backward(8);
      learner.step();
    };

    // Who is alone exchanges nothing.
    const bool has_peer = fabric.world().size() > 1;
    const double more_s = has_peer ? 0.25 : 0;
    const double second_more_s = has_peer ? 0.125 : 0;
    const auto exchange = [&](const Payload& payload) {
      if (!has_peer) return;
      const int peer = 1 - fabric.rank();
      const Request sent = fabric.start_send(peer, payload);
      fabric.wait(fabric.start_receive(peer, payload));
      fabric.wait(sent);
    };

    CHECK(seconds_of(batch) == 1);
    exchange(learner.gradients());
    CHECK(seconds_of(batch) == 1 + more_s);
    CHECK(seconds_of(batch) == 1 + second_more_s);
    CHECK(seconds_of(batch) == 1);
    exchange(learner.parameters());
    CHECK(seconds_of([&] { learner.train(4, 8); }) == 4 + more_s + second_more_s);
    CHECK(seconds_of([&] { learner.train(4, 8); }) == 4);
    exchange(learner.parameters());
    CHECK(seconds_of([&] { learner.train(1, 8); }) == 1 + more_s);
    CHECK(seconds_of([&] { learner.train(1, 8); }) == 1 + second_more_s);
    CHECK(seconds_of([&] { learner.train(0, 8); }) == 0);
  });
}

TEST_CASE("beside messages single batches take more or less, and on average what was measured") {
  Job job = job_with({1, 3});
  job.config.overlap = Overlap::bucket;
  job.config.first_bucket_bytes = 20;  // half of backward before it is under way
  job.network.layers = {{.name = "a", .parameters = 5}, {.name = "b", .parameters = 5}};
  job.traces[0].overlap = {{.batch = 8,
                            .all_reduce = "ring",
                            .bytes = 40,
                            .batch_alone_s = {1, 1},
                            .batch_s = {1.2, 2.8},
                            .exchange_alone_s = {1, 1},
                            .exchange_s = {1, 1}}};
  const CostedJob costed(job, "sync");
  CHECK(costed.workers()[0].overlap.batch_spread == std::vector<double>{0.6, 1.4});
  const auto backward_seconds = [&](const CostDraw& draw) {
    std::vector<std::vector<double>> of_workers(2);
    run_workers(costed.workers(), [&](Fabric& fabric) {
      CostLearner learner = costed.learner(fabric, draw);
      learner.begin_epoch(0);
      for (int i = 0; i < 400; ++i) {
        const double began_s = fabric.now_s();
        learner.forward_backward(8, [](const Payload&) {});
        of_workers[static_cast<std::size_t>(fabric.rank())].push_back(fabric.now_s() - began_s);
        learner.step();
      }
    });
    return of_workers;
  };

  const auto drawn = backward_seconds(costed.draw());

  CHECK(drawn[0] != drawn[1]);
  const double mean = std::accumulate(drawn[0].begin(), drawn[0].end(), 0.0) / 400;
  const double usual = backward_seconds({.seed = {}, .session = costed.draw().session})[0][0];
  CHECK(mean == Approx(usual).epsilon(0.05));
  for (const double seconds : drawn[0])
    CHECK_THAT(seconds,
               WithinRel(usual * (1 - 1.0 / 3 * 0.4), 1e-9) ||
                   WithinRel(usual * (1 + 1.0 / 3 * 0.4), 1e-9));
}

TEST_CASE("what is gone through once draws from one session, the same for everybody") {
  const CostedJob job(job_with({1, 3}), "sync");
  const CostDraw draw = job.draw();

  REQUIRE(draw.session);
  const double seconds = *draw.session == 0 ? 1 : 3;
  CHECK(batch_seconds(job, draw) == std::vector<double>{seconds, seconds});
  CHECK(draw.seed == job.job().config.seed);
}

TEST_CASE("a result says which of several strategies it is of, with that one's settings") {
  Job job = job_with({1});
  set_setting(job.config, "averaging-period", "4", "--averaging-period");
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

TEST_CASE("an all-reduce that there is not is the user's mistake") {
  Job job = job_with({1});
  job.config.all_reduce = "rign";

  CHECK(problems_of([&] { const CostedJob costed(job, "sync"); }).size() == 1);
}

}  // namespace
}  // namespace epochcast::tests
