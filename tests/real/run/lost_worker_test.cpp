// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE(
    "with --on-failure continue, a job continues without a worker that dies, which then joins") {
  for (const std::string strategy : {"diloco --local-steps 2 --fragments 2",
                                     "time-synced --sync-seconds 0.05s",
                                     "large-batch"}) {
    CAPTURE(strategy);
    const Folder folder;
    folder.write("tiny.json", kTinyDataset);

    const Outcome outcome =
        run_and_kill(folder,
                     kTrain +
                         "--epochs 40 --checkpoint saved --on-failure continue --format json "
                         "--metrics job.jsonl --strategy " +
                         strategy,
                     1,
                     [&] { return serial_of(folder) >= 2; });

    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const std::vector<std::string> said = lines(outcome.err);
    const auto has = [&](const std::string& begin, const std::string& end) {
      return std::any_of(said.begin(), said.end(), [&](const std::string& line) {
        return line.starts_with(begin) && line.ends_with(end);
      });
    };
    CHECK(has("rank ", " with 1 worker"));
    CHECK(has("rank ", ": continuing with 2 workers"));
    const auto run = nlohmann::json::parse(outcome.out)["runs"][0];
    CHECK(run["workers"] == 2);
    CHECK(run["notes"].size() == 4);  // data, lost, joined, resumed
    CHECK(metrics_of(folder, "job.jsonl").back()["epoch"] == 40);
  }
}

TEST_CASE("--checkpoint-every is refused where workers keep no step") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);

  const Outcome outcome = folder.run(
      kTrain + "--strategy ps-async --servers 1 --checkpoint saved --checkpoint-every 2");

  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains("workers of ps-async keep no step within an epoch"));
}

TEST_CASE("--on-failure continue is refused where it cannot be done") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  const auto refusal = [&](const std::string& more) {
    const Outcome outcome = folder.run(kTrain + "--on-failure continue " + more);
    CHECK(outcome.status == 2);
    return outcome.err;
  };

  CHECK_THAT(refusal("--strategy diloco"), Catch::Contains("add --checkpoint FOLDER"));
  CHECK_THAT(refusal("--strategy sync --checkpoint saved"),
             Catch::Contains("sync needs all its workers; these continue without some: diloco, "
                             "time-synced, large-batch"));
  CHECK_THAT(refusal("--strategy diloco --checkpoint saved --checkpoint-every 2"),
             Catch::Contains("leave out --checkpoint-every"));
  CHECK_THAT(refusal("--strategy diloco --checkpoint saved --seeds 2"),
             Catch::Contains("leave out --seeds"));
  CHECK_THAT(refusal("--strategy diloco --checkpoint saved --slurm"),
             Catch::Contains("not with --slurm"));
}

}  // namespace
}  // namespace epochcast::tests
