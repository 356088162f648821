// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/elastic.hpp"

#include <cstdint>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Words = std::vector<std::string>;

/// A job of five epochs on two machines of two workers. Each run follows a plan.
struct FakeJob {
  struct Run {
    std::int64_t epochs = 0;  ///< completed in it
    CommandEnd end;
    std::optional<std::set<std::string>> gone = {};  ///< machines that do not answer after it
  };
  std::vector<Run> plan;
  std::set<std::string> gone;  ///< machines that do not answer

  std::int64_t done = 0;
  std::size_t next = 0;
  Words started = {};  ///< members and flags of each run
  Words said = {};

  CommandEnd run() {
    ElasticJob job;
    job.placements = placements_on({{.name = "a", .ranks = 2}, {.name = "b", .ranks = 2}}, 4);
    job.run = [this](const std::vector<RankPlacement>& placements, const Words& flags) {
      std::string text = members_text(placements);
      for (const std::string& flag : flags)
        if (!flag.starts_with("--history") && !flag.starts_with("--members")) text += " " + flag;
      started.push_back(text);
      const Run& now = plan.at(next++);
      done += now.epochs;
      if (now.gone) gone = *now.gone;
      return now.end;
    };
    job.answers = [this](const std::string& host) { return !gone.contains(host); };
    job.epochs_done = [this] { return done; };
    job.epochs = 5;
    job.say = [this](const std::string& line) { said.push_back(line); };
    return run_elastic(job);
  }
};

CommandEnd killed(int rank) {
  return {.status = 137,
          .death = RankDeath{.rank = rank, .host = "b", .signal = "signal 9 (Killed)"}};
}

TEST_CASE("a worker that dies is left out for an epoch and joins again") {
  FakeJob job = {.plan = {{2, killed(2)}, {1, {}}, {2, {}}}, .gone = {}};

  CHECK(job.run().status == 0);
  CHECK(job.started == Words{"0:0,1:1,2:0,3:1",
                             "0:0,1:1,3:1 --resume --pause-after=1",
                             "0:0,1:1,2:0,3:1 --resume"});
  CHECK(job.said ==
        Words{"rank 2 on b was lost in epoch 3 (signal 9 (Killed)); continuing from the "
              "end of epoch 2 with 3 workers",
              "rank 2 on b joins after epoch 3: continuing with 4 workers"});
}

TEST_CASE("ranks of later runs are those of the workers that are left") {
  FakeJob job = {.plan = {{0, killed(0)}, {0, killed(2)}, {1, {}}, {4, {}}}, .gone = {}};

  CHECK(job.run().status == 0);
  CHECK(job.started == Words{"0:0,1:1,2:0,3:1",
                             "1:1,2:0,3:1 --resume --pause-after=1",
                             "1:1,2:0 --resume --pause-after=1",
                             "0:0,1:1,2:0,3:1 --resume"});
}

TEST_CASE("workers on a machine that does not answer at the start join when it does") {
  const std::set<std::string> none;
  FakeJob job = {.plan = {{1, {}}, {1, {}, none}, {3, {}}}, .gone = {"b"}};

  CHECK(job.run().status == 0);
  CHECK(job.started == Words{"0:0,1:1 --pause-after=1",
                             "0:0,1:1 --resume --pause-after=1",
                             "0:0,1:1,2:0,3:1 --resume"});
}

TEST_CASE("when a machine is gone, all its workers are lost") {
  const std::set<std::string> b = {"b"};
  FakeJob job = {.plan = {{1, {.status = 1}, b}, {2, {}}, {2, {}}}, .gone = {}};

  CHECK(job.run().status == 0);
  CHECK(job.started == Words{"0:0,1:1,2:0,3:1",
                             "0:0,1:1 --resume --pause-after=1",
                             "0:0,1:1 --resume --pause-after=1"});
}

TEST_CASE("bad input ends the job, whatever machine is gone") {
  const std::set<std::string> b = {"b"};
  FakeJob job = {.plan = {{1, {.status = 2}, b}}, .gone = {}};

  CHECK(job.run().status == 2);
  CHECK(job.started.size() == 1);
}

TEST_CASE("when mpirun's daemon is gone, the workers of its machine are lost") {
  FakeJob job = {
      .plan = {{1, {.status = 205, .death = RankDeath{.rank = {}, .host = "b"}}}, {1, {}}, {3, {}}},
      .gone = {}};

  CHECK(job.run().status == 0);
  CHECK(job.started[1] == "0:0,1:1 --resume --pause-after=1");
  CHECK(job.said.front() ==
        "rank 2 on b, rank 3 on b were lost in epoch 2; continuing from the end "
        "of epoch 1 with 2 workers");
}

TEST_CASE("a worker that has died three times stays out") {
  FakeJob job = {
      .plan = {{0, killed(3)}, {1, {}}, {0, killed(3)}, {1, {}}, {0, killed(3)}, {3, {}}},
      .gone = {}};

  CHECK(job.run().status == 0);
  CHECK(job.started.back() == "0:0,1:1,2:0 --resume");
}

TEST_CASE("a failure that no worker's death explains ends the job") {
  FakeJob job = {.plan = {{1, {.status = 1}}}, .gone = {}};

  CHECK(job.run().status == 1);
  CHECK(job.started.size() == 1);
}

TEST_CASE("without any machine that answers nothing begins") {
  FakeJob job = {.plan = {}, .gone = {"a", "b"}};

  CHECK_THROWS_WITH(job.run(), Catch::Contains("--hosts: none of rank 0 on a, rank 1 on a, "));
}

TEST_CASE("ranks fill machines in turn, and placements give the machines back") {
  const std::vector<Host> hosts = {{.name = "a", .ranks = 2}, {.name = "b", .ranks = 3}};
  const std::vector<RankPlacement> placements = placements_on(hosts, 4);

  CHECK(members_text(placements) == "0:0,1:1,2:0,3:1");
  CHECK(hosts_text(hosts_of(placements)) == "a:2,b:2");
  CHECK(hosts_of(placements_on({}, 3)).empty());
}

}  // namespace
}  // namespace epochcast::tests
