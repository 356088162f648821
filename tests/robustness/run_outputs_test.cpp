// SPDX-License-Identifier: Apache-2.0
// Options of real and rehearsed jobs that name a file to write, pointed at places where none should
// be written: reported before training, measuring or rehearsing.
#include <sys/stat.h>

#include <filesystem>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const std::string kReal = kTrain + "--strategy sync --epochs 1 ";
const std::string kRehearsed =
    "--platform pair.json --network small-cnn --dataset cifar10 --data procedural --batch 4 "
    "--train-samples 96 --epochs 1 --strategy sync --batch-seconds gpu=1ms,cpu=1ms --folder kept ";
const std::string kTuned =
    "tune " + kRehearsed + "--choose learning-rate=0.1,0.2 --target-accuracy 50% --seeds 1 ";
const std::string kMeasured = "measure batches --network small-cnn --batch 1 ";

void put_inputs(const Folder& folder) {
  folder.write("tiny.json", kTinyDataset);
  folder.write("experiment.json", R"({"schema": "epochcast.experiment/1"})");
  mkfifo((folder.path() / "pipe").c_str(), 0600);
}

std::string names_in(const fs::path& folder) {
  std::string all;
  for (const auto& entry : fs::directory_iterator(folder)) all += entry.path().string() + " ";
  return all;
}

TEST_CASE("an output that cannot be written is refused before a real job begins") {
  const Folder folder;
  put_inputs(folder);
  const std::string before = names_in(folder.path());
  const auto refuses = [&](const std::string& command, const std::string& place) {
    CAPTURE(command, place);
    const Outcome outcome = folder.run(command + place);

    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(place + ": cannot be written: ") != std::string::npos);
    CHECK(outcome.err.find(" %") == std::string::npos);  // no progress
    CHECK(names_in(folder.path()) == before);
  };
  for (const std::string& command : {"rehearse " + kRehearsed + "--html ",
                                     kTuned + "--html ",
                                     std::string("validate experiment.json --save "),
                                     std::string("validate experiment.json --html ")}) {
    for (const std::string place : {".", "none/file", "pair.json/file", "pipe", "/proc/file"})
      refuses(command, place);
  }
  refuses("rehearse " + kRehearsed + "--html ", "pair.json");
  refuses(kTuned + "--html ", "pair.json");
  refuses("validate experiment.json --save ", "experiment.json");
  refuses(kReal + "--timeline ", "none/file");
  refuses(kReal + "--metrics ", "tiny.json");
  refuses(kReal + "--timeline both --metrics ", "./both");
  refuses(kMeasured + "--output ", "pipe");
  refuses(kMeasured + "--ranks 2 --output ", "none/file");
  refuses("measure messages --ranks 2 --output ", ".");
}

TEST_CASE("outputs of a real job go to targets of links and into devices") {
  const Folder folder;
  put_inputs(folder);
  fs::create_symlink("target", folder.path() / "link");

  const Outcome outcome = folder.run(kReal + "--metrics link --timeline /dev/null");

  CHECK(outcome.status == 0);
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(lines(folder.read("target")).size() == 1);
  CHECK(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace epochcast::tests
