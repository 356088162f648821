// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

struct Job {
  Folder folder;

  Job() { folder.write("tiny.json", kTinyDataset); }
  [[nodiscard]] Outcome run(const std::string& more) const { return folder.run(kTrain + more); }
};

void check_phases(const std::vector<std::string>& strategies) {
  constexpr double kRounding = 1e-9;
  const Job job;
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);

    const Outcome outcome = job.run("--epochs 2 --format json --strategy " + strategy +
                                    (strategy.ends_with("local-sgd") ? " --local-steps 4" : ""));

    REQUIRE(outcome.status == 0);
    const auto result = nlohmann::json::parse(outcome.out);
    CHECK(result.at("schema") == "epochcast.result/1");
    CHECK(result.at("provenance").at("world") == "train");
    const auto& run = result.at("runs").at(0);
    CHECK(run.at("epochs") == 2);
    CHECK(run.at("input_grade") == "measured");
    const double epoch_s = run.at("epoch_s").get<double>();
    CHECK(epoch_s > 0);
    const double phases_s = run.at("compute_s").get<double>() +
                            run.at("exposed_communication_s").get<double>() +
                            run.at("blocked_s").get<double>();
    // Phases are the mean of two workers, an epoch is the longer of theirs.
    CHECK(phases_s <= epoch_s * (1 + kRounding));
    CHECK(phases_s >= epoch_s / 2 * (1 - kRounding));
  }
}

TEST_CASE("strategies train for real, and a worker's phases add up to its epoch") {
  check_phases(
      {"sync", "biased-local-sgd", "byteps --devices cpu,cpu,server --set ranks=3", "dlb"});
}

TEST_CASE("other strategies train for real, and a worker's phases add up to its epoch", "[long]") {
  check_phases({"sync-fastest",
                "hetgrad",
                "hetgrad-unweighted",
                "node-based",
                "local-sgd",
                "unbalanced-local-sgd"});
}

TEST_CASE("timing batches before and after training does not change it") {
  const Job job;
  const std::string words = "--strategy sync --epochs 1 --format json --metrics ";

  const Outcome timed = job.run(words + "timed.jsonl --time-batches");
  const Outcome plain = job.run(words + "plain.jsonl");

  REQUIRE(timed.status == 0);
  const auto batches = nlohmann::json::parse(timed.out).at("runs").at(0).at("timed_batches");
  REQUIRE(batches.size() == 2);
  for (std::size_t rank = 0; rank < batches.size(); ++rank) {
    CHECK(batches[rank].at("rank") == rank);
    CHECK(batches[rank].at("before_s").get<double>() > 0);
    CHECK(batches[rank].at("after_s").get<double>() > 0);
  }
  REQUIRE(plain.status == 0);
  CHECK_FALSE(nlohmann::json::parse(plain.out).at("runs").at(0).contains("timed_batches"));
  CHECK(metrics_of(job.folder, "timed.jsonl").back().at("train_loss") ==
        metrics_of(job.folder, "plain.jsonl").back().at("train_loss"));
}

TEST_CASE("ring exchanges of a size are timed before and after training, on the slowest member") {
  const Job job;

  const Outcome timed = job.run(
      "--strategy sync --all-reduce linear --epochs 1 --format json --time-exchanges 64KiB");
  const Outcome bad = job.run("--strategy sync --epochs 1 --time-exchanges 5GB");

  REQUIRE(timed.status == 0);
  const auto exchanges = nlohmann::json::parse(timed.out).at("runs").at(0).at("timed_exchanges");
  CHECK(exchanges.at("all_reduce") == "ring");
  CHECK(exchanges.at("bytes") == 65536);
  for (const char* moment : {"before_s", "after_s"}) {
    REQUIRE(exchanges.at(moment).size() >= 3);
    CHECK(exchanges.at(moment)[0].get<double>() > 0);
  }
  CHECK(bad.status == 2);
  CHECK(bad.err.find("--time-exchanges: got \"5GB\"; expected at most 4GB") != std::string::npos);
}

TEST_CASE("all seeds are trained, with means and deviations") {
  const Job job;
  const std::string words = "--strategy sync --epochs 2 ";

  const Outcome all = job.run(words + "--seeds 2 --metrics m.jsonl --checkpoint saved");
  REQUIRE(all.status == 0);
  CHECK_THAT(all.out, Catch::Contains("test accuracy"));
  CHECK_THAT(all.out, Catch::Contains(" ± "));
  CHECK_THAT(all.out, Catch::Contains("over 2 seeds"));
  CHECK(job.folder.read("saved/seed-2/checkpoint.json").starts_with("{"));

  const Outcome second = job.run(words + "--seed 2 --metrics two.jsonl");
  REQUIRE(second.status == 0);
  CHECK_THAT(second.out, Catch::Contains("; best "));
  CHECK(metrics_of(job.folder, "m-seed2.jsonl") == metrics_of(job.folder, "two.jsonl"));
  CHECK(metrics_of(job.folder, "m-seed1.jsonl") != metrics_of(job.folder, "two.jsonl"));
}

TEST_CASE("training learns: the loss of the last epoch is well below that of the first") {
  const Job job;

  REQUIRE(
      job.run(
             "--strategy sync --optimizer adam --set learning-rate=0.003 --augment off --epochs 12 "
             "--metrics learned.jsonl")
          .status == 0);

  const auto metrics = metrics_of(job.folder, "learned.jsonl");
  REQUIRE(metrics.size() == 12);
  CHECK(metrics.back().at("train_loss").get<double>() <
        0.9 * metrics.front().at("train_loss").get<double>());
}

/// Width and height, from a PNG file's header.
std::vector<int> size_of_png(const std::string& bytes) {
  std::vector<int> size;
  for (const std::size_t at : {std::size_t{16}, std::size_t{20}}) {
    int value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = 256 * value + static_cast<unsigned char>(bytes.at(i));
    size.push_back(value);
  }
  return size;
}

TEST_CASE("a result names the precision that was trained in, and what differed from the request") {
  const Job job;
  const auto run_in = [&](const std::string& precision) {
    const Outcome outcome = job.run(
        "--strategy sync --epochs 2 --format json --metrics m.jsonl --precision " + precision);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out).at("runs").at(0);
  };
  const auto losses = [&] { return metrics_of(job.folder, "m.jsonl").back().at("train_loss"); };

  CHECK(run_in("auto").at("config").at("precision") == "float32");
  const auto exact = losses();
  const auto tf32 = run_in("tf32");
  CHECK(tf32.at("config").at("precision") == "float32");
  CHECK_THAT(tf32.at("notes").dump(),
             Catch::Contains("cpu has no tf32: float32 was computed there, as PyTorch does"));
  CHECK(losses() == exact);
  CHECK(run_in("bfloat16").at("config").at("precision") == "bfloat16");
  CHECK(losses() != exact);
  CHECK(losses().get<double>() == Approx(exact.get<double>()).epsilon(0.1));
}

TEST_CASE("a GAN's run records both losses and leaves a picture of every epoch") {
  const Job job;

  const Outcome outcome = job.folder.run(
      "train --network gan --dataset mnist --data procedural --train-samples 64 --test-samples 16 "
      "--strategy sync --ranks 2 --batch 8 --optimizer adam --learning-rate 0.001 --epochs 2 "
      "--images made/of/digits --metrics gan.jsonl");

  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto metrics = metrics_of(job.folder, "gan.jsonl");
  REQUIRE(metrics.size() == 2);
  for (const char* key : {"discriminator_loss", "generator_loss"}) {
    CHECK(metrics[0].at(key).get<double>() > 0);
    CHECK(metrics[0].at(key) != metrics[1].at(key));
  }
  CHECK(metrics[1].at("test_accuracy").is_number());
  const std::string first = job.folder.read("made/of/digits/epoch-0001.png");
  const std::string second = job.folder.read("made/of/digits/epoch-0002.png");
  CHECK(first.starts_with("\x89PNG\r\n"));
  CHECK(first != second);
  // Eight of each of ten classes, 28 x 28 pixels and gaps of 2.
  CHECK(size_of_png(first) == std::vector{8 * 28 + 7 * 2, 10 * 28 + 9 * 2});
  CHECK(std::distance(std::filesystem::directory_iterator(job.folder.path() / "made/of/digits"),
                      std::filesystem::directory_iterator()) == 2);
}

TEST_CASE("the timeline shows every worker's computing and exchanges") {
  const Job job;

  REQUIRE(job.run("--strategy sync --epochs 1 --timeline events.json").status == 0);

  std::map<std::string, int> counts;
  const auto timeline = nlohmann::json::parse(job.folder.read("events.json"));
  for (const auto& event : timeline.at("traceEvents"))
    ++counts[event.at("name").get<std::string>() + " " + event.at("pid").dump()];
  for (const std::string worker : {" 0", " 1"}) {
    CHECK(counts["warm-up" + worker] == 4);
    CHECK(counts["first exchange" + worker] == 1);  // of the only node, which is the world
    CHECK(counts["forward" + worker] == 12);
    CHECK(counts["backward" + worker] == 12);
    CHECK(counts["step" + worker] == 12);
    CHECK(counts["all-reduce" + worker] == 12);
  }
}

TEST_CASE("a slowed worker has its own row in the result, and a note") {
  const Job job;

  const Outcome outcome = job.run("--strategy sync --epochs 1 --slow-down 1=2 --format json");

  REQUIRE(outcome.status == 0);
  const auto run = nlohmann::json::parse(outcome.out).at("runs").at(0);
  REQUIRE(run.at("by_device").size() == 2);
  CHECK_THAT(run.at("by_device").at(1).at("model").get<std::string>(),
             Catch::EndsWith("-slowed-2x"));
  CHECK(run.at("notes").at(1) ==
        "slower devices were emulated: batches slept for the rest of their time");
}

TEST_CASE("a problem of a job is reported once, with advice") {
  const Job job;
  const auto complains = [&](const std::string& arguments, int status, const std::string& text) {
    const Outcome outcome = job.folder.run(arguments);
    CAPTURE(arguments);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "epochcast: " + text + "\n");
  };
  const std::string failed = "\nepochcast: the job failed (mpirun's exit status 1)";

  complains("train --network small-cnn --dataset tiny.json --data procedural",
            2,
            "--strategy: expected one, such as sync; `epochcast list strategies` lists them");
  complains("train --strategy sync --dataset tiny.json --network small-cnn",
            2,
            "--data: missing; expected the folder that holds tiny, or \"procedural\" for computed "
            "samples of its shape");
  complains(kTrain + "--strategy sync --epochs 1 --set batch=64",
            2,
            "--batch: one iteration of all workers takes 128 samples; the data set has 96");
  complains(kTrain + "--strategy sync --set network=small-cmm",
            2,
            "--network: unknown network \"small-cmm\"; did you mean \"small-cnn\"?");
  complains(kTrain + "--strategy sync --optimizer sdg",
            2,
            "--optimizer: unknown optimizer \"sdg\"; did you mean \"sgd\"?");
  complains(kTrain + "--strategy sync --all-reduce rign",
            2,
            "--all-reduce: unknown all-reduce algorithm \"rign\"; did you mean \"ring\"?");
  complains(kTrain + "--strategy sync --slow-down gpu=2",
            2,
            "--slow-down: unknown device class, model or rank \"gpu\"; did you mean \"cpu\"?");
  complains(kTrain + "--strategy byteps",
            2,
            "strategy byteps needs ranks that train and ranks that sum; say which with --devices, "
            "such as cpu,cpu,server, or how many serve with --servers");
  complains(kTrain + "--strategy sync --precision float16",
            2,
            "--precision: float16 needs a GPU; on a CPU choose bfloat16, which needs no scaling of "
            "the loss, or float32");
  complains(kTrain + "--strategy sync --resume", 2, "--resume: needs --checkpoint FOLDER");
  complains(
      kTrain + "--strategy sync --train-samples 97", 2, "--train-samples: got 97; the data has 96");
  complains(kTrain + "--strategy sync --epochs 1 --set learning-rate=1e30",
            1,
            "rank 0: the loss is nan in epoch 1, after 8 samples of it; lower --learning-rate (now "
            "1e+30) or check the data\nepochcast: the job failed (mpirun's exit status 3)");
  complains(kTrain + "--strategy sync --epochs 1 --metrics /dev/full",
            1,
            "/dev/full: cannot be written: No space left on device" + failed);
  complains(kTrain + "--strategy sync --epochs 1 --images made",
            2,
            "--images: the network makes no images; expected --network gan");
  complains(kTrain + "--strategy sync --epochs 1 --checkpoint /proc/saved",
            1,
            "/proc/saved: cannot be created: No such file or directory" + failed);
}

TEST_CASE("a truncated CIFAR file ends the job with its name and size") {
  const Job job;
  std::filesystem::create_directory(job.folder.path() / "cifar");
  for (const std::string name : {"data_batch_1",
                                 "data_batch_2",
                                 "data_batch_3",
                                 "data_batch_4",
                                 "data_batch_5",
                                 "test_batch"}) {
    std::ofstream(job.folder.path() / "cifar" / (name + ".bin")) << std::string(3073, '\1');
  }

  const Outcome outcome = job.folder.run(
      "train --network small-cnn --dataset cifar10 --data cifar --strategy sync --ranks 2");

  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains("cifar/data_batch_1.bin: got "));
}

TEST_CASE("more ranks than samples are refused before any process is started") {
  const Job job;
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    // A dry run starts nothing: it would show the command line.
    const Outcome outcome = job.folder.run(kTrain + "--dry-run --set ranks=500 " + arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.err == "epochcast: --batch: one iteration of all workers takes " + text + "\n");
  };

  refused("--strategy sync --train-samples 64", "2000 samples; the data set has 64");
  refused("--strategy local-sgd --train-samples 64", "2000 samples; the data set has 64");
  refused("--strategy sync", "2000 samples; the data set has 96");
  CHECK(job.run("--dry-run --set ranks=500 --strategy byteps --devices cpu,server").status == 0);
}

TEST_CASE("--dry-run and --slurm show the command to be run") {
  const Job job;

  const Outcome dry = job.run("--strategy sync --dry-run --threads 2");
  CHECK(dry.status == 0);
  CHECK_THAT(dry.out, Catch::StartsWith("mpirun -n 2 --bind-to none"));
  CHECK_THAT(dry.out, Catch::Contains("-x OMP_NUM_THREADS=2"));
  CHECK_THAT(dry.out, Catch::Contains("epochcast-run train --network=small-cnn"));

  const Outcome script = job.folder.run(
      "train --network resnet20 --dataset cifar10 --data /data --strategy sync --devices "
      "cpu,cuda:0 --slurm --slurm-nodes 4 --slurm-time 02:00:00");
  CHECK(script.status == 0);
  CHECK_THAT(script.out,
             Catch::StartsWith("#!/bin/bash\n"
                               "#SBATCH --job-name=epochcast-sync-resnet20\n"
                               "#SBATCH --nodes=4\n"
                               "#SBATCH --ntasks-per-node=2\n"
                               "#SBATCH --cpus-per-task=1\n"
                               "#SBATCH --gpus-per-node=1\n"
                               "#SBATCH --time=02:00:00\n"));
  CHECK_THAT(script.out, Catch::Contains("mpirun -n 8 "));

  const Outcome hosts = job.folder.run(kTrain + "--strategy sync --dry-run --hosts a,b:1");
  CHECK_THAT(hosts.out, Catch::Contains("-n 2 "));
  CHECK_THAT(hosts.out, Catch::Contains("--host a:1,b:1"));
}

}  // namespace
}  // namespace epochcast::tests
