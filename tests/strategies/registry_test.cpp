// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <sstream>

#include "strategies/other_names.hpp"
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

bool has_servers(const Strategy& strategy) {
  return strategy.participants == Participants::workers_and_servers ||
         strategy.participants == Participants::workers_and_parameter_servers;
}

/// One node per two workers; rank 0 is a GPU, every later worker slower than the one before. For
/// strategies with servers the last half of the workers (at least one) serves.
StrategyJob job_of(const Strategy& strategy, int size) {
  std::vector<int> nodes;
  for (int rank = 0; rank < size; ++rank) nodes.push_back(rank / 2);
  StrategyJob job = {.workers = workers_on(nodes),
                     .config = small_config(4, 2),
                     .train_samples = 200,
                     .work = {},
                     .cost = {.alpha_s = 1e-4, .beta_s_per_byte = 1e-9}};
  set(job.config, "local-steps", 3);
  set(job.config, "averaging-period", 3);
  set(job.config, "backup-workers", 0);
  job.work.batch_s = [](int rank, std::int64_t batch) {
    return 0.001 * (rank + 1) * static_cast<double>(batch);
  };
  const bool needs_servers = has_servers(strategy);
  for (int rank = 1; rank < size; ++rank) {
    WorkerInfo& worker = job.workers[static_cast<std::size_t>(rank)];
    worker.device_class = "cpu";
    worker.model = "cpu-" + std::to_string(rank);
    if (needs_servers && 2 * rank >= size) worker.role = Role::sums;
  }
  return job;
}

bool applies(const Strategy& strategy, int size) { return !has_servers(strategy) || size > 1; }

TEST_CASE("a strategy's name from other software is refused with ours, or the closest one") {
  CHECK_THROWS_WITH(
      find_strategy("ddp"),
      "--strategy: got \"ddp\"; DistributedDataParallel is --strategy sync --like ddp");
  // Its buckets are the gradients ready at the moment; the limit of 64 MiB became 128 with 0.21.0.
  CHECK_THROWS_WITH(
      find_strategy("horovod"),
      "--strategy: got \"horovod\"; Horovod has no fixed buckets: each cycle (1 ms) it exchanges "
      "what is ready, up to 128 MiB (64 MiB before 0.21); the nearest is --strategy sync --like "
      "horovod");
  CHECK_THROWS_WITH(find_strategy("zero-3"),
                    "--strategy: got \"zero-3\"; stages 1 and 2 of ZeRO are --strategy zero "
                    "--zero-stage 1 and 2; "
                    "stage 3 and FSDP are --strategy fsdp --sharding full-shard");
  CHECK_THROWS_WITH(
      find_strategy("async"),
      "--strategy: got \"async\"; asynchronous SGD with a parameter server is --strategy ps-async; "
      "with a bound on how far workers are apart, --strategy ssp");
  CHECK_THROWS_WITH(
      find_strategy("powersgd"),
      "--strategy: got \"powersgd\"; PowerSGD is --strategy sync --compression powersgd");
  CHECK_THROWS_WITH(find_strategy("Local_SGD"),
                    "--strategy: got \"Local_SGD\"; it is called --strategy local-sgd here");
  CHECK_THROWS_WITH(find_strategy("post_localSGD"),
                    "--strategy: got \"post_localSGD\"; post-local SGD is --strategy "
                    "post-local-sgd");
}

/// The settings that an answer suggests, set in a job: "--overlap bucket" sets overlap.
JobConfig suggested_by(const std::string& answer) {
  JobConfig config;
  config.strategy.clear();
  std::istringstream words(answer);
  for (std::string word; words >> word;) {
    if (word.rfind("--", 0) != 0) continue;
    const std::string name = word.substr(2, word.find_first_of(",;", 2) - 2);
    if (name == "local-steps") continue;  // named without a value
    std::string value;
    words >> value;
    value = value.substr(0, value.find_first_of(",;"));
    set(config, name, value);
  }
  return config;
}

TEST_CASE("suggestions for other names are accepted, and async is not answered with sync") {
  for (const std::string& name : other_names()) {
    CAPTURE(name);
    const std::string answer = answer_to_other_name(name);

    const std::string strategy = suggested_by(answer).strategy;

    CHECK(find_strategy(strategy).name == strategy);
    CHECK_THROWS_WITH(find_strategy(name), "--strategy: got \"" + name + "\"; " + answer);
    if (answer.rfind("asynchronous", 0) == 0) CHECK(strategy == "ssp");
  }
  for (const char* name : {"async", "asgd", "hogwild"})
    CHECK(answer_to_other_name(name).rfind("asynchronous SGD", 0) == 0);
  CHECK(suggested_by(answer_to_other_name("ddp")).overlap == Overlap::bucket);
  CHECK(suggested_by(answer_to_other_name("powersgd")).compression == "powersgd");
}

TEST_CASE("settings of torchft are answered with ours") {
  CHECK(answer_to_other_setting("--sync_every") == "torchft's sync_every is --local-steps");
  CHECK(answer_to_other_setting("--fragment-sync-delay") ==
        "torchft's fragment_sync_delay is --fragment-delay");
  CHECK(answer_to_other_setting("fragment_update_alpha") ==
        "torchft's fragment_update_alpha is --merge-weight");
  CHECK(answer_to_other_setting("--should_quantize") ==
        "torchft's should_quantize is --compression int8, or fp16");
  CHECK(answer_to_other_setting("--batch").empty());
}

TEST_CASE("every strategy runs on 1, 2 and 5 unequal workers, with and without overlap") {
  for (const Strategy& strategy : strategies()) {
    for (const int size : {1, 2, 5}) {
      if (!applies(strategy, size)) continue;
      for (const Overlap overlap : {Overlap::none, Overlap::bucket}) {
        CAPTURE(strategy.name, size, overlap == Overlap::bucket);
        StrategyJob job = job_of(strategy, size);
        job.config.overlap = overlap;

        const StrategyRun run = run_strategy(strategy.name, job);

        for (const WorkerReport& report : run.reports) {
          CHECK(report.iterations_per_epoch >= 1);
          CHECK(report.rounds_per_epoch >= 0);  // 0: one exchange after all epochs
          CHECK(report.training_s > 0);
          CHECK(report.training.total_s() == Approx(report.training_s));
          CHECK(report.iterations_per_epoch == run.reports.front().iterations_per_epoch);
        }
      }
    }
  }
}

TEST_CASE("every strategy ends with equal parameters on all workers that train") {
  for (const Strategy& strategy : strategies()) {
    if (!strategy.needs_costs.empty()) continue;  // parameters are in shards
    CAPTURE(strategy.name);
    const StrategyJob job = job_of(strategy, 5);

    const StrategyRun run = run_strategy(strategy.name, job);

    for (std::size_t rank = 0; rank < job.workers.size(); ++rank) {
      if (job.workers[rank].role == Role::sums) continue;
      if (run.reports[rank].batch == 0) continue;  // has left, like slow workers with dlb
      CHECK(run.learners[rank].parameters == run.learners[0].parameters);
    }
    CHECK(run.learners[0].parameters != std::vector<float>(RecordingLearner::kParameters, 0));
  }
}

TEST_CASE("on one worker every strategy computes and reports floor(N/B) or T·H batches an epoch") {
  for (const Strategy& strategy : strategies()) {
    if (!applies(strategy, 1)) continue;
    CAPTURE(strategy.name);
    const StrategyJob job = job_of(strategy, 1);

    const StrategyRun run = run_strategy(strategy.name, job);

    const LearnerLog& log = run.learners[0];
    auto seen = static_cast<std::int64_t>(log.batches.size());
    for (const LocalTraining& local : log.local) seen += local.steps;
    const std::int64_t reported = run.reports[0].iterations_per_epoch;
    CHECK(reported * job.config.epochs == seen);
    CHECK(reported <= 200 / 4);
    CHECK(reported >= 200 / (4 * 3) * 3);  // post-local-sgd: a mean of both
    CHECK(run.reports[0].training.blocked_s == 0);
    CHECK(run.reports[0].training.exposed_communication_s == 0);
  }
}

TEST_CASE("strategies have unique names, a summary and a source") {
  std::set<std::string_view> names;
  for (const Strategy& strategy : strategies()) {
    CHECK(names.insert(strategy.name).second);
    CHECK_FALSE(strategy.summary.empty());
    CHECK_FALSE(strategy.source.empty());
    CHECK(&find_strategy(strategy.name) == &strategy);
  }
}

TEST_CASE("an unknown strategy is refused with the closest name, or all of them") {
  CHECK_THROWS_WITH(find_strategy("hetgard"),
                    "--strategy: unknown strategy \"hetgard\"; did you mean \"hetgrad\"?");
  CHECK_THROWS_WITH(find_strategy("magic"),
                    "--strategy: unknown strategy \"magic\"; known: sync, sync-fastest, hetgrad, "
                    "hetgrad-unweighted, node-based, daso, local-sgd, unbalanced-local-sgd, "
                    "biased-local-sgd, post-local-sgd, slowmo, diloco, time-synced, one-shot, "
                    "byteps, dlb, ps-sync, ps-async, ssp, backup-workers, gssp, fedbuff, gossip, "
                    "decentralized, ad-psgd, large-batch, zero, fsdp");
}

}  // namespace
}  // namespace epochcast::tests
