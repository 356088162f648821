// SPDX-License-Identifier: Apache-2.0
// Jobs and rehearsals that resume from damaged files.
#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/damage.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const std::string kRehearsal =
    "rehearse --platform pair.json --network small-cnn --dataset cifar10 --data procedural "
    "--train-samples 96 --test-samples 32 --batch 4 --learning-rate 0.05 --batch-seconds gpu=10ms "
    "--strategy sync --epochs 3 --format json --folder kept ";

/// The state from which a job or a rehearsal continues, without locks and logs.
Files state_files(const fs::path& folder) {
  Files files = read_files(folder);
  std::erase_if(files, [](const auto& file) {
    return !file.first.ends_with(".json") && !file.first.ends_with(".state");
  });
  return files;
}

TEST_CASE("no job resumes from a damaged checkpoint, and none overwrites it") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  const std::string job = kTrain + "--strategy local-sgd --local-steps 3 --checkpoint saved ";
  const fs::path saved = folder.path() / "saved";
  REQUIRE(folder.run(job + "--epochs 1").status == 0);
  REQUIRE(folder.run(job + "--epochs 2 --resume").status == 0);
  // Of the ranks' files of two checkpoints, those of the last one count.
  const Files whole = state_files(saved);
  Files last = whole;
  std::erase_if(last, [](const auto& file) { return file.first.find("-b.") != std::string::npos; });

  const Campaign campaign(2);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    Files files = last;
    const Damage done = damage(files, random);
    files.insert(whole.begin(), whole.end());
    write_files(saved, files);

    const Outcome resumed = folder.run(job + "--epochs 3 --resume");

    CAPTURE(seed, done.text, resumed.err);
    CHECK((resumed.status == 1 || resumed.status == 2));
    CHECK_THAT(resumed.err, Catch::Contains("epochcast: " + saved.string() + "/"));
    CHECK(state_files(saved) == files);
  }
}

TEST_CASE("damaged rehearsals are rehearsed again, with a warning and the same result") {
  const Folder folder;
  const fs::path kept = folder.path() / "kept";
  const Outcome whole = folder.run(kRehearsal);
  REQUIRE(whole.status == 0);
  const Files ended = state_files(kept);
  REQUIRE(ended.size() == 1);
  fs::remove_all(kept);
  // Stopped on the simulated clock: a result and the state to continue from.
  REQUIRE(folder.run(kRehearsal + "--stop-after 130ms").status == 0);
  const Files begun = state_files(kept);
  REQUIRE(begun.size() == 2);

  const Campaign campaign(2);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    Files files = seed % 2 == 0 ? begun : ended;
    const Damage done = damage(files, random);
    write_files(kept, files);

    const Outcome again = folder.run(kRehearsal);

    CAPTURE(seed, done.text, again.err);
    CHECK(again.status == 0);
    CHECK(again.out == whole.out);
    for (const std::string& file : done.files)
      CHECK_THAT(again.err, Catch::Contains("epochcast: warning: " + (kept / file).string() + ":"));
    CHECK(state_files(kept) == ended);
  }
}

}  // namespace
}  // namespace epochcast::tests
