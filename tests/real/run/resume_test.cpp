// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>

#include "tests/catch.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

/// Whether a rank has a draft open: a file in the folder that has no name yet.
bool is_being_written(const Folder& folder) {
  const std::string saved = (fs::canonical(folder.path()) / "saved/").string();
  std::error_code error;
  for (const pid_t rank : processes_in(folder, "epochcast-run")) {
    const fs::path files = "/proc/" + std::to_string(rank) + "/fd";
    for (const auto& file : fs::directory_iterator(files, error)) {
      const std::string target = fs::read_symlink(file.path(), error).string();
      if (target.starts_with(saved) && target.ends_with(" (deleted)")) return true;
    }
  }
  return false;
}

void check_resumed_training(const std::vector<std::string>& strategies) {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const Folder folder;
    folder.write("tiny.json", kTinyDataset);
    const std::string job = kTrain + "--strategy " + strategy;
    REQUIRE(folder.run(job + " --epochs 4 --metrics whole.jsonl").status == 0);

    REQUIRE(folder.run(job + " --epochs 2 --metrics parts.jsonl --checkpoint saved").status == 0);
    const Outcome resumed =
        folder.run(job + " --epochs 4 --metrics parts.jsonl --checkpoint saved --resume");

    CHECK(resumed.status == 0);
    CHECK(lines(resumed.err).front() == "resuming in epoch 3");
    CHECK(metrics_of(folder, "parts.jsonl") == metrics_of(folder, "whole.jsonl"));
  }
}

TEST_CASE("a resumed job has the same parameters as an uninterrupted one, bit for bit") {
  check_resumed_training(
      {"sync --optimizer adam",
       "biased-local-sgd --local-steps 2",
       "sync --compression topk",
       "slowmo --local-steps 3",
       "daso --global-period 2 --ranks-per-node 1",
       "ps-async --devices cpu,server",
       "diloco --local-steps 4 --fragments 2 --fragment-delay 1 --merge-weight 0.5"});
}

TEST_CASE("resumed jobs of other strategies have the same parameters, bit for bit", "[long]") {
  check_resumed_training({"local-sgd --local-steps 3",
                          "local-sgd --local-steps 3 --compression qsgd",
                          "sync --overlap bucket --compression powersgd --powersgd-start 5",
                          "node-based --averaging-period 5 --ranks-per-node 1 --compression onebit "
                          "--onebit-freeze-step 2",
                          "node-based --averaging-period 5 --ranks-per-node 1",
                          "sync --overlap bucket --bucket 20kB --first-bucket 1kB",
                          "slowmo --slowmo-base node-based --local-steps 3 --ranks-per-node 1",
                          "slowmo --slowmo-base post-local-sgd --local-from 1 --local-steps 3",
                          "slowmo --slowmo-base biased-local-sgd --local-steps 2",
                          "diloco --local-steps 4 --compression int8",
                          "local-sgd --local-steps 4 --period-rule adacomm",
                          "gossip",
                          "decentralized --topology ring",
                          "sync --precision bfloat16",
                          "ps-sync --devices cpu,server",
                          "ssp --devices cpu,server",
                          "gssp --devices cpu,server",
                          "backup-workers --backup-workers 0 --devices cpu,server",
                          "fedbuff --local-steps 2 --devices cpu,server"});
}

void check_same_batches(const std::vector<std::string>& strategies) {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const Folder folder;
    folder.write("tiny.json", kTinyDataset);
    const std::string job = kTrain + "--slow-down 1=3 --strategy " + strategy;
    REQUIRE(folder.run(job + " --epochs 2 --checkpoint saved").status == 0);
    fs::copy(folder.path() / "saved", folder.path() / "copy");

    // An epoch further: dlb's later batches depend on times again.
    for (const std::string from : {"saved", "copy"}) {
      const Outcome outcome = folder.run(job + " --epochs 3 --resume --checkpoint " + from +
                                         " --metrics " + from + ".jsonl");
      CHECK(outcome.status == 0);
    }

    CHECK(metrics_of(folder, "saved.jsonl").size() == 1);
    CHECK(metrics_of(folder, "saved.jsonl") == metrics_of(folder, "copy.jsonl"));
  }
}

TEST_CASE("measurements before an interruption are kept: the same batches, bit for bit") {
  check_same_batches({"dlb"});
}

TEST_CASE("other strategies keep measurements before an interruption, too", "[long]") {
  check_same_batches({"hetgrad", "unbalanced-local-sgd --local-steps 4"});
}

TEST_CASE("kill -9 of a rank at any moment loses no more than the last interval") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  const std::string job = kTrain + "--strategy sync --epochs 12 ";
  REQUIRE(folder.run(job + "--metrics whole.jsonl").status == 0);
  const std::string saving = job + "--checkpoint saved --checkpoint-every 1 --metrics rest.jsonl ";
  constexpr std::int64_t kEvery = 9;  // checkpoints between kills; an epoch makes 12 and one more

  int kills = 0;
  bool is_over = false;
  for (std::int64_t i = 0; i < 6; ++i) {
    const bool is_in_the_middle = i % 2 == 1;
    CAPTURE(i, is_in_the_middle);
    const std::int64_t before = serial_of(folder);

    const Outcome killed = run_and_kill(
        folder, saving + (i > 0 ? "--resume" : ""), static_cast<std::size_t>(i % 2), [&] {
          if (serial_of(folder) < before + kEvery) return false;
          return !is_in_the_middle || is_being_written(folder);
        });

    is_over = killed.status == 0;  // before it was killed: checked rarely under load
    if (is_over) break;
    ++kills;
    CHECK(killed.status == 1);
    CHECK_THAT(killed.err, Catch::Contains("epochcast: the job failed: rank "));
    CHECK_THAT(killed.err,
               Catch::Contains(" was killed by signal 9 (Killed); the checkpoint in saved is of "
                               "epoch "));
    CHECK_THAT(killed.err, Catch::Contains("; --resume continues from there"));
    CHECK(serial_of(folder) >= before + kEvery);
  }
  CHECK(kills >= 2);
  if (!is_over) CHECK(folder.run(saving + "--resume").status == 0);
  std::vector<nlohmann::json> whole = metrics_of(folder, "whole.jsonl");
  std::vector<nlohmann::json> rest = metrics_of(folder, "rest.jsonl");
  REQUIRE(!rest.empty());
  rest.back().erase("bytes_sent");  // of epochs that were run from start to end
  whole.back().erase("bytes_sent");
  CHECK(rest.back() == whole.back());
}

TEST_CASE("killed jobs of workers with own models end like uninterrupted ones") {
  for (const std::string strategy : {"gossip", "decentralized"}) {
    CAPTURE(strategy);
    const Folder folder;
    folder.write("tiny.json", kTinyDataset);
    const std::string job = kTrain + "--epochs 6 --strategy " + strategy;
    REQUIRE(folder.run(job + " --metrics whole.jsonl").status == 0);
    const std::string saving =
        job + " --checkpoint saved --checkpoint-every 1 --metrics rest.jsonl";

    const Outcome killed = run_and_kill(folder, saving, 1, [&] { return serial_of(folder) > 17; });
    CHECK(killed.status == 1);
    CHECK(folder.run(saving + " --resume").status == 0);

    std::vector<nlohmann::json> whole = metrics_of(folder, "whole.jsonl");
    std::vector<nlohmann::json> rest = metrics_of(folder, "rest.jsonl");
    REQUIRE(!rest.empty());
    rest.back().erase("bytes_sent");
    whole.back().erase("bytes_sent");
    CHECK(rest.back() == whole.back());
  }
}

/// 20 images of 16 x 16 pixels in two classes, all pixels of the last one `last`.
void write_images(const Folder& folder, float last) {
  constexpr std::size_t kPixels = 3 * 16 * 16;
  std::vector<float> images(20 * kPixels, 0.5F);
  std::fill(images.end() - kPixels, images.end(), last);
  std::vector<std::int64_t> labels(20, 0);
  labels[3] = 1;
  fs::create_directories(folder.path() / "mine" / "train");
  fs::create_directories(folder.path() / "mine" / "val");
  for (const std::string half : {"mine/train/", "mine/val/"}) {
    folder.write(half + "inputs.npy", npy("<f4", "(20, 3, 16, 16)", images));
    folder.write(half + "targets.npy", npy("<i8", "(20,)", labels));
  }
}

TEST_CASE("a checkpoint depends on the data's content, not on its place") {
  const Folder folder;
  write_images(folder, 0);
  const std::string job =
      "train --network small-cnn --data mine --ranks 1 --batch 4 --strategy sync --checkpoint "
      "saved ";
  REQUIRE(folder.run(job + "--epochs 1").status == 0);
  write_images(folder, 0);  // as it was, at another time
  CHECK(folder.run(job + "--epochs 2 --resume").status == 0);

  write_images(folder, 1);
  const Outcome other = folder.run(job + "--epochs 3 --resume");

  CHECK(other.status == 2);
  CHECK_THAT(other.err,
             Catch::Contains("/checkpoint.json is of another job: --data mine (checksum "));
}

TEST_CASE("a checkpoint is not overwritten, nor resumed by another job, nor read when damaged") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  const std::string job = kTrain + "--strategy sync --epochs 1 --checkpoint saved";
  REQUIRE(folder.run(job).status == 0);
  const std::string saved = (folder.path() / "saved").string();

  const Outcome again = folder.run(job);
  CHECK(again.status == 2);
  CHECK(again.err == "epochcast: --checkpoint: " + saved +
                         " holds the checkpoint of a job; add --resume to continue it, or choose "
                         "another folder\n");

  const Outcome other = folder.run(job + " --resume --momentum 0.5");
  CHECK(other.status == 2);
  CHECK(other.err == "epochcast: --resume: " + saved +
                         "/checkpoint.json is of another job: --momentum 0.5 was 0.9\n");

  const Outcome alone = folder.run(job + " --resume --set ranks=1");
  CHECK(alone.status == 2);
  CHECK(alone.err == "epochcast: --resume: " + saved +
                         "/checkpoint.json is of a job with 2 ranks; this one has 1\n");

  const std::string longer = kTrain + "--strategy sync --epochs 2 --checkpoint saved --resume";
  const std::string advice = "; bring back a copy of the folder, or train anew in another one\n";
  fs::copy(folder.path() / "saved", folder.path() / "copy");
  fs::resize_file(folder.path() / "saved" / "rank-00001-b.state", 1000);
  const Outcome damaged = folder.run(longer);
  CHECK(damaged.status == 1);
  CHECK_THAT(damaged.err,
             Catch::Contains("epochcast: " + saved +
                             "/rank-00001-b.state: is damaged: its checksum is not that of its "
                             "content" +
                             advice));

  fs::remove(folder.path() / "saved" / "rank-00001-b.state");
  CHECK_THAT(folder.run(longer).err,
             Catch::Contains("rank-00001-b.state: is missing; checkpoint.json names it" + advice));

  folder.write("saved/checkpoint.json", "");
  const Outcome empty = folder.run(longer);
  CHECK(empty.status == 1);
  CHECK_THAT(
      empty.err,
      Catch::Contains("epochcast: " + saved +
                      "/checkpoint.json: is empty; expected epochcast.checkpoint/2" + advice));

  fs::remove_all(folder.path() / "saved");
  fs::copy(folder.path() / "copy", folder.path() / "saved");
  CHECK(folder.run(longer).status == 0);
  const Outcome shorter =
      folder.run(kTrain + "--strategy sync --epochs 1 --checkpoint saved --resume");
  CHECK(shorter.status == 2);
  CHECK(shorter.err ==
        "epochcast: --epochs: got 1; " + saved + "/rank-00000-a.state stands after 2\n");
  fs::remove(folder.path() / "saved" / "checkpoint.json");
  const Outcome lost = folder.run(longer);
  CHECK(lost.status == 1);
  CHECK_THAT(
      lost.err,
      Catch::Contains(saved + "/checkpoint.json: is missing beside rank-00000-a.state" + advice));
}

TEST_CASE("a damaged file of a checkpoint is refused by its name, or it is not read") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  const fs::path saved = folder.path() / "saved";
  const std::string job = kTrain + "--set ranks=1 --strategy sync --checkpoint saved ";
  REQUIRE(folder.run(job + "--epochs 2").status == 0);
  REQUIRE(serial_of(folder) == 2);
  fs::copy(saved, folder.path() / "copy");
  const std::set<std::string> read = {"checkpoint.json", "rank-00000-a.state"};
  std::set<std::string> refused;
  for (const auto& entry : fs::directory_iterator(folder.path() / "copy")) {
    const std::string name = entry.path().filename();
    CAPTURE(name);
    folder.write("saved/" + name, "damaged");

    const Outcome outcome = folder.run(job + "--epochs 3 --resume");

    if (outcome.status != 0) {
      refused.insert(name);
      CHECK_THAT(outcome.err, Catch::Contains((saved / name).string() + ": "));
    }
    fs::remove_all(saved);
    fs::copy(folder.path() / "copy", saved);
  }
  CHECK(refused == read);
}

TEST_CASE("incomplete files of a killed job are removed and do no harm") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  fs::create_directory(folder.path() / "saved");
  const std::vector<std::string> drafts = {".epochcast-77-0", ".epochcast-77-1"};
  for (const std::string& draft : drafts) folder.write("saved/" + draft, "half");
  folder.write("saved/notes.txt", "of the user");

  const Outcome outcome =
      folder.run(kTrain + "--strategy sync --epochs 1 --checkpoint saved --resume");

  CHECK(outcome.status == 0);
  for (const std::string& draft : drafts) CHECK_FALSE(folder.has("saved/" + draft));
  CHECK(folder.has("saved/notes.txt"));
}

TEST_CASE("resuming without a checkpoint starts from the beginning") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);

  const Outcome outcome =
      folder.run(kTrain + "--strategy sync --epochs 1 --checkpoint saved --resume");

  CHECK(outcome.status == 0);
  CHECK(lines(outcome.err).front() == "no checkpoint in " + (folder.path() / "saved").string() +
                                          " yet: starting at the beginning");
}

}  // namespace
}  // namespace epochcast::tests
