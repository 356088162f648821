// SPDX-License-Identifier: Apache-2.0
// Whatever happens to a rehearsal on the way, its result is the same to the last digit.
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"
#include "tests/robustness/campaign.hpp"

namespace epochcast::tests {
namespace {

/// Jobs with different clocks: costs with and without spread, few long and many short waits,
/// batches that depend on measurements.
std::string random_job(Random& random) {
  const std::vector<std::string> strategies = {"sync",
                                               "sync --overlap bucket --set bucket=20kB "
                                               "--set first-bucket=1kB",
                                               "local-sgd --local-steps 3",
                                               "node-based --averaging-period 3",
                                               "hetgrad",
                                               "dlb",
                                               "byteps",
                                               "slowmo --local-steps 3",
                                               "diloco --local-steps 3 --fragments 3",
                                               "local-sgd --local-steps 3 --period-rule adacomm",
                                               "biased-local-sgd --local-steps 3 --alpha 0.5"};
  const std::string costs =
      random.next() % 2 == 0
          ? "--network small-cnn --batch-seconds gpu=" + std::to_string(0.001 + random.uniform()) +
                "s "
          : "--network resnet20 --trace gpu.json,cpu.json ";
  return "--platform pair.json --dataset cifar10 --data procedural --train-samples 64 "
         "--test-samples 8 --batch 8 --learning-rate 0.05 --epochs 4 " +
         costs + "--strategy " + strategies[random.next() % strategies.size()] + " ";
}

std::string rehearsal(const std::string& job) {
  return "rehearse --folder kept --format json " + job;
}

/// Kills the rehearsal in the folder, or its parent, at a random moment of a run of this duration,
/// and returns its output if it ended before.
std::string run_and_kill(const Folder& folder,
                         const std::string& arguments,
                         std::chrono::duration<double> whole,
                         Random& random) {
  const std::string victim = random.next() % 2 == 0 ? "epochcast-rehearse" : "epochcast";
  std::future<Outcome> run = std::async(std::launch::async, [&] { return folder.run(arguments); });
  if (run.wait_for(random.uniform() * whole) != std::future_status::ready) {
    for (const pid_t process : processes_in(folder, victim)) kill(process, SIGKILL);
  }
  return run.get().out;
}

TEST_CASE("a rehearsal killed at random moments has the same result as without") {
  const Campaign campaign(1);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    const std::string job = random_job(random);
    CAPTURE(seed, job);
    const auto begin = std::chrono::steady_clock::now();
    const Folder quiet;
    const Outcome whole = quiet.run(rehearsal(job));
    const auto whole_s = std::chrono::steady_clock::now() - begin;
    CAPTURE(whole.err);
    REQUIRE(whole.status == 0);

    const Folder folder;
    for (int kills = 0; kills < 3; ++kills) run_and_kill(folder, rehearsal(job), whole_s, random);
    const Outcome last = folder.run(rehearsal(job));

    CAPTURE(last.err);
    CHECK(last.status == 0);
    CHECK(last.out == whole.out);
  }
}

TEST_CASE("a rehearsal resumed after any epoch has the same result as without a stop") {
  const Campaign campaign(1);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed + 1000);
    const std::string job = random_job(random);
    CAPTURE(seed, job);
    const Folder quiet;
    const Outcome whole = quiet.run(rehearsal(job));
    REQUIRE(whole.status == 0);
    const nlohmann::json curve =
        nlohmann::json::parse(whole.out).at("rehearsals").at(0).at("curve");
    const double stop_s = curve.at(random.next() % 3).at("training_s");

    const Folder folder;
    const Outcome part =
        folder.run(rehearsal(job) + "--stop-after " + std::to_string(0.999 * stop_s) + "s");
    CAPTURE(part.err);
    CHECK(part.status == 0);
    CHECK(part.out != whole.out);

    CHECK(folder.run(rehearsal(job)).out == whole.out);
  }
}

/// With adacomm, the fourth epoch averages twice, by the loss of the third one.
TEST_CASE("a resumed rehearsal continues with the strategy's vectors and losses") {
  for (const std::string strategy : {"slowmo --local-steps 3",
                                     "diloco --local-steps 32 --fragments 3 --merge-weight 0.5",
                                     "local-sgd --local-steps 128 --period-rule adacomm"}) {
    CAPTURE(strategy);
    const std::string job =
        "--platform pair.json --dataset cifar10 --data procedural --train-samples 1024 "
        "--test-samples 8 --batch 4 --learning-rate 0.01 --network small-cnn --batch-seconds "
        "gpu=1s "
        "--strategy " +
        strategy + " --epochs 5 ";
    const Outcome whole = Folder().run(rehearsal(job));
    REQUIRE(whole.status == 0);
    const nlohmann::json curve =
        nlohmann::json::parse(whole.out).at("rehearsals").at(0).at("curve");

    const Folder folder;
    for (const std::size_t epoch : {1, 3}) {
      const double stop_s = 0.999 * curve.at(epoch).at("training_s").get<double>();
      REQUIRE(folder.run(rehearsal(job) + "--stop-after " + std::to_string(stop_s) + "s").status ==
              0);
    }

    CHECK(folder.run(rehearsal(job)).out == whole.out);
  }
}

TEST_CASE("concurrent calls with one folder have the same results as a single call") {
  const std::string tune =
      "tune --folder kept --format json --platform pair.json --network small-cnn --dataset cifar10 "
      "--data procedural --train-samples 96 --test-samples 32 --batch 4 --learning-rate 0.05 "
      "--epochs 3 --batch-seconds gpu=10ms --exchange-seconds 100ms --seeds 2 --strategy local-sgd "
      "--choose local-steps=2,4 --time-budget 1s ";
  Random random(Campaign(1).first_seed());
  const std::string call = GENERATE(true, false) ? tune : rehearsal(random_job(random));
  CAPTURE(call);
  const Folder quiet;
  const Outcome alone = quiet.run(call);
  REQUIRE(alone.status == 0);

  const Folder folder;
  std::future<Outcome> other = std::async(std::launch::async, [&] { return folder.run(call); });
  const Outcome one = folder.run(call);
  const Outcome two = other.get();

  CAPTURE(one.err, two.err);
  CHECK(one.out == alone.out);
  CHECK(two.out == alone.out);
}

}  // namespace
}  // namespace epochcast::tests
