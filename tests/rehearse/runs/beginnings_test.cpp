// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/beginnings.hpp"

#include "base/files/checksum.hpp"
#include "base/files/sealed_file.hpp"
#include "rehearse/runs/learning_trace.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

using Indices = std::vector<std::size_t>;
using Epochs = std::vector<std::string>;

/// A job whose epochs are named by what its workers have done until their ends.
LearningJob job(const std::string& settings,
                const std::string& name,
                Epochs epochs,
                std::int64_t learned = 0) {
  return {.name = settings + std::string(kChecksumDigits - settings.size(), '-') + name,
          .beginnings = std::move(epochs),
          .epochs = learned};
}

TEST_CASE("jobs with equal settings have the epochs in common in which they begin alike") {
  const LearningJob one = job("a", "one", {"1", "2", "3", "4"});

  CHECK(common_epochs(one, one) == 4);
  CHECK(common_epochs(one, job("a", "two", {"1", "2", "3", "five"})) == 3);
  CHECK(common_epochs(one, job("a", "two", {"1", "2"})) == 2);
  CHECK(common_epochs(one, job("a", "two", {"one", "2"})) == 0);
  CHECK(common_epochs(one, job("b", "one", {"1", "2", "3", "4"})) == 0);
  CHECK(common_epochs(job("a", "one", {}), one) == 0);
}

TEST_CASE("of jobs that begin alike one learns, and the others wait until they differ from it") {
  const std::vector<LearningJob> jobs = {job("a", "one", {"1", "2", "3", "4"}),
                                         job("a", "two", {"1", "2", "3", "five"}),
                                         job("a", "three", {"1", "six", "seven", "eight"}),
                                         job("b", "one", {"1", "2", "3", "4"}),
                                         job("a", "one", {"1", "2", "3", "4"})};

  const LearningPlan plan = plan_learning(jobs, {0, 1, 2, 3, 4});

  CHECK(plan.first == Indices{0, 3});
  REQUIRE(plan.followers.size() == 2);
  CHECK(plan.followers[0].index == 1);
  CHECK(plan.followers[0].leader == 0);
  CHECK(plan.followers[0].epochs == 3);
  CHECK(plan.followers[1].index == 2);
  CHECK(plan.followers[1].epochs == 1);
  CHECK(plan_learning(jobs, {1, 2}).first == Indices{1});
  CHECK(plan_learning(jobs, {}).first.empty());
}

TEST_CASE("nobody waits for epochs that are over") {
  const Epochs epochs = {"1", "2", "3", "4"};
  const auto first = [&](std::int64_t of_one, std::int64_t of_two) {
    return plan_learning(
               {job("a", "one", epochs, of_one), job("a", "two", {"1", "2", "3", "five"}, of_two)},
               {0, 1})
        .first;
  };

  CHECK(first(2, 2) == Indices{0});
  CHECK(first(1, 2) == Indices{1});  // the one ahead learns
  CHECK(first(3, 3) == Indices{0, 1});
  CHECK(first(3, 1) == Indices{0, 1});
}

TEST_CASE("nobody waits for a job that follows losses: what it will do is unknown") {
  std::vector<LearningJob> jobs = {job("a", "one", {"1"}), job("a", "two", {"1", "2", "3"})};
  jobs[0].follows_losses = true;
  CHECK(plan_learning(jobs, {0, 1}).first == Indices{0, 1});

  std::swap(jobs[0], jobs[1]);
  const LearningPlan plan = plan_learning(jobs, {0, 1});
  CHECK(plan.first == Indices{0});
  REQUIRE(plan.followers.size() == 1);
  CHECK(plan.followers[0].epochs == 1);
}

/// The files of two jobs, the first of which has learned.
struct TwoJobs {
  explicit TwoJobs(std::int64_t learned, std::optional<std::string> diverged = {}) {
    write_learning_trace(from.learning, trace_of(learned, std::move(diverged)));
    folder.write("from.state",
                 seal("epochcast.state/1", from.state, {{"of", "it"}}, {"bytes"}).line + "bytes");
  }
  static LearningTrace trace_of(std::int64_t epochs, std::optional<std::string> diverged = {}) {
    LearningTrace trace = {.platform = "pair", .diverged = std::move(diverged)};
    for (std::int64_t epoch = 1; epoch <= epochs; ++epoch)
      trace.curve.push_back({.epoch = epoch, .training_s = static_cast<double>(epoch)});
    return trace;
  }
  [[nodiscard]] std::size_t learned() const {
    const auto trace = read_learning_trace(to.learning);
    return trace ? trace->curve.size() : 0;
  }

  Folder folder;
  RehearsalFiles from = files_of(folder.path(), "from");
  RehearsalFiles to = files_of(folder.path(), "to");
};

TEST_CASE("what was learned in common epochs is handed on, with the state if it ends there") {
  const TwoJobs shorter(3);
  hand_on(shorter.from, shorter.to, 5);
  CHECK(shorter.learned() == 3);
  const SealedFile state =
      unseal("epochcast.state/1", shorter.to.state, shorter.folder.read("to.state"));
  CHECK(state.header.at("of") == "it");
  CHECK(state.payload == "bytes");

  const TwoJobs longer(3);
  hand_on(longer.from, longer.to, 2);
  CHECK(longer.learned() == 2);
  CHECK_FALSE(fs::exists(longer.to.state));
}

TEST_CASE("a damaged state is not handed on") {
  const TwoJobs jobs(3);
  for (const std::string& text : {jobs.folder.read("from.state") + "more", std::string("text")}) {
    jobs.folder.write("from.state", text);
    hand_on(jobs.from, jobs.to, 5);
    CHECK_FALSE(fs::exists(jobs.to.state));
  }
}

TEST_CASE("a job that knows more keeps it") {
  const TwoJobs jobs(3);
  write_learning_trace(jobs.to.learning, TwoJobs::trace_of(4));
  hand_on(jobs.from, jobs.to, 5);
  CHECK(jobs.learned() == 4);
  CHECK_FALSE(fs::exists(jobs.to.state));
}

TEST_CASE("a job diverges as another does if they are alike in that epoch") {
  const TwoJobs alike(3, "nan");
  hand_on(alike.from, alike.to, 4);
  CHECK(read_learning_trace(alike.to.learning)->diverged == "nan");

  const TwoJobs unlike(3, "nan");
  hand_on(unlike.from, unlike.to, 3);
  CHECK(unlike.learned() == 3);
  CHECK_FALSE(read_learning_trace(unlike.to.learning)->diverged);
}

}  // namespace
}  // namespace epochcast::tests
