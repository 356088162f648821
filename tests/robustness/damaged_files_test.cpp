// SPDX-License-Identifier: Apache-2.0
// Files kept between two runs, damaged in thousands of ways: all damage is reported. Here files are
// read as programs read them; damaged_jobs_test.cpp and tests/rehearse ask the programs.
#include <algorithm>
#include <functional>

#include "core/formats/checkpoint_format.hpp"
#include "rehearse/runs/rehearsal_entry.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/damage.hpp"

namespace epochcast::tests {
namespace {

RunResult run_of(double epoch_s) {
  RunResult run;
  run.strategy = "sync";
  run.epochs = 2;
  run.epoch_s = epoch_s;
  return run;
}

std::string random_bytes(std::size_t size, Random& random) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  return bytes;
}

std::string rank_name(std::size_t rank) { return "rank-0000" + std::to_string(rank) + "-a.state"; }

/// The folder of a job's checkpoint with this serial.
Files checkpoint(std::int64_t serial, std::size_t ranks, Random& random) {
  Files files;
  CheckpointManifest manifest = {
      .serial = serial, .settings = {{"batch", "32"}, {"epochs", "9"}}, .checksums = {}};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const RankState state = {.position = {0, serial},
                             .memory = {{"batches", {random.uniform(), 1}}},
                             .learner = random_bytes(random.next() % 5000, random)};
    const Seal seal = seal_rank_state(rank_name(rank), serial, static_cast<int>(rank), state);
    files[rank_name(rank)] = seal.line + state.learner;
    manifest.checksums.push_back(seal.checksum);
  }
  files["checkpoint.json"] = manifest_text("checkpoint.json", manifest);
  return files;
}

/// Reads the files of a resumed job.
void resume(const Files& files) {
  const CheckpointManifest manifest = read_manifest("checkpoint.json", files.at("checkpoint.json"));
  for (std::size_t rank = 0; rank < manifest.checksums.size(); ++rank) {
    static_cast<void>(
        read_rank_state(rank_name(rank), files.at(rank_name(rank)), manifest.checksums[rank]));
  }
}

/// The error of reading, or "" without one.
std::string complaint_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

bool names_one_of(const std::string& complaint, const std::set<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return complaint.find(file + ":") != std::string::npos;
  });
}

TEST_CASE("a checkpoint with any damage is refused by the name of a damaged file") {
  const Campaign campaign(1000);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    const std::size_t ranks = 1 + random.next() % 3;
    const Files older = checkpoint(2, ranks, random);
    Files files = checkpoint(4, ranks, random);
    REQUIRE_NOTHROW(resume(files));

    const Damage done = damage(files, random, older);
    const std::string complaint = complaint_of([&] { resume(files); });

    CAPTURE(seed, done.text, complaint);
    // An older manifest is intact itself: the states do not match it.
    std::set<std::string> suspects = done.files;
    if (suspects.contains("checkpoint.json")) suspects.insert(rank_name(0));
    CHECK(names_one_of(complaint, suspects));
  }
}

TEST_CASE("a damaged result of a rehearsal is refused by name") {
  const Folder folder;
  const Campaign campaign(500);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    RehearsalEntry entry = {.run = run_of(0.5)};
    for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
      entry.curve.push_back({.epoch = epoch,
                             .training_s = 0.5 * static_cast<double>(epoch),
                             .test_loss = random.uniform(),
                             .test_accuracy = random.uniform()});
    }
    const std::filesystem::path kept = folder.path() / "kept";
    std::filesystem::create_directories(kept);
    write_entry(kept / "a.json", entry);
    write_entry(kept / "b.json", {.run = entry.run, .curve = {entry.curve.front()}});
    Files files = read_files(kept);

    const Damage done = damage(files, random);
    write_files(kept, files);

    CAPTURE(seed, done.text);
    for (const std::string& file : done.files) {
      const std::string complaint =
          complaint_of([&] { static_cast<void>(read_entry(kept / file)); });
      CAPTURE(complaint);
      CHECK(complaint.starts_with((kept / file).string() + ":"));
    }
  }
}

TEST_CASE("an impossible result is refused even if its checksum is right") {
  const Folder folder;
  const std::filesystem::path file = folder.path() / "a.json";
  const RehearsalEntry good = {
      .run = run_of(1),
      .curve = {{.epoch = 1, .training_s = 1, .test_loss = 1, .test_accuracy = 0.5}}};
  write_entry(file, good);
  CHECK(read_entry(file)->curve.size() == 1);

  RehearsalEntry bad = good;
  bad.curve.front().test_accuracy = 1.5;
  bad.run->epoch_s = -5;
  write_entry(file, bad);

  CHECK_THROWS_WITH(read_entry(file),
                    file.string() +
                        ": /curve/0/test_accuracy: got 1.5; expected a number from 0 to 1\n" +
                        file.string() + ": /run/epoch_s: got -5.0; expected seconds, not negative");
}

}  // namespace
}  // namespace epochcast::tests
