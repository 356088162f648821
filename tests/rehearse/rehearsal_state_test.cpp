// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal_state.hpp"

#include "base/files/sealed_file.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/damage.hpp"

namespace epochcast::tests {
namespace {

const std::vector<SettingText> kSettings = {{"strategy", "sync"}, {"batch", "32"}};

RehearsalState state_after(std::int64_t epochs) {
  RehearsalState state = {.curve = {},
                          .learners = {std::string(3000, 'a'), "bb", ""},
                          .kept = {"momentum", "", "of three"}};
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    state.curve.push_back({.epoch = epoch,
                           .training_s = 0.1 * static_cast<double>(epoch),
                           .train_loss = 1.0 / static_cast<double>(epoch),
                           .test_loss = 2,
                           .test_accuracy = 0.25});
  }
  return state;
}

TEST_CASE("a rehearsal's state is read back exactly; without a file it is the initial one") {
  const Folder folder;
  const std::filesystem::path file = folder.path() / "a.state";
  CHECK(load_rehearsal_state(file, kSettings, 3).curve.empty());

  save_rehearsal_state(file, kSettings, state_after(3));
  const RehearsalState state = load_rehearsal_state(file, kSettings, 3);

  CHECK(to_json(state.curve) == to_json(state_after(3).curve));
  CHECK(state.learners == state_after(3).learners);
  CHECK(state.kept == state_after(3).kept);
}

TEST_CASE("a state of other settings or workers is refused by name") {
  const Folder folder;
  const std::filesystem::path file = folder.path() / "a.state";
  save_rehearsal_state(file, kSettings, state_after(3));

  CHECK_THROWS_WITH(load_rehearsal_state(file, {{"strategy", "dlb"}}, 3),
                    file.string() + ": /settings: are those of another rehearsal");
  CHECK_THROWS_WITH(load_rehearsal_state(file, kSettings, 2),
                    file.string() +
                        ": /bytes: got a list of 3; expected the sizes of 2 workers' "
                        "states, which follow");
}

TEST_CASE("a damaged state of a rehearsal is refused by name") {
  const Folder folder;
  const std::filesystem::path kept = folder.path() / "kept";
  std::filesystem::create_directory(kept);
  save_rehearsal_state(kept / "a.state", kSettings, state_after(3));
  save_rehearsal_state(kept / "b.state", kSettings, state_after(1));
  const Files whole = read_files(kept);

  const Campaign campaign(1000);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    Files files = whole;
    const Damage done = damage(files, random);
    write_files(kept, files);

    CAPTURE(seed, done.text);
    for (const std::string& file : done.files) {
      CHECK_THROWS_WITH(load_rehearsal_state(kept / file, kSettings, 3),
                        Catch::StartsWith((kept / file).string() + ": "));
    }
  }
}

}  // namespace
}  // namespace epochcast::tests
