// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

constexpr double kForward_s = 0.03;
constexpr double kBackward_s = 0.06;
constexpr double kStep_s = 0.01;
constexpr double kCompute_s = kForward_s + kBackward_s + kStep_s;
constexpr double kAllReduce_s = 0.1;
constexpr int kGradientElements = 269'722;  // of resnet20

/// The profiler's output for a rank that trains resnet20 with batches of 16: three iterations, each
/// with one all-reduce of all gradients after backward.
std::string profile_of_rank(int rank) {
  nlohmann::json events = nlohmann::json::array();
  double now_us = 0;
  const auto add = [&](const char* category,
                       const std::string& name,
                       double length_s,
                       const nlohmann::json& args = nlohmann::json::object()) {
    events.push_back({{"ph", "X"},
                      {"cat", category},
                      {"name", name},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", now_us},
                      {"dur", length_s * 1e6},
                      {"args", args}});
  };
  for (int i = 0; i < 3; ++i) {
    add("user_annotation", "ProfilerStep#" + std::to_string(i), kCompute_s + kAllReduce_s);
    add("cpu_op", "aten::conv2d", kForward_s, {{"Input Dims", {{16, 3, 32, 32}, {16, 3, 3, 3}}}});
    now_us += kForward_s * 1e6;
    add("cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", kBackward_s);
    now_us += kBackward_s * 1e6;
    add("cpu_op",
        "gloo:all_reduce",
        kAllReduce_s,
        {{"Input Dims", {{kGradientElements}}}, {"Input type", {"float"}}});
    now_us += kAllReduce_s * 1e6;
    add("user_annotation", "Optimizer.step#SGD.step", kStep_s);
    now_us += kStep_s * 1e6;
  }
  return nlohmann::json{{"distributedInfo", {{"rank", rank}, {"world_size", 2}}},
                        {"traceEvents", events}}
      .dump();
}

/// The job's profiles, and the arguments that import them.
struct ProfiledJob {
  ProfiledJob() {
    folder.write("rank0.json", profile_of_rank(0));
    folder.write("rank1.json", profile_of_rank(1));
  }
  [[nodiscard]] Outcome run(const std::string& more) const {
    return folder.run("import rank0.json rank1.json --network resnet20 --device-name my-cpu " +
                      more);
  }

  Folder folder;
};

nlohmann::json runs_of(const Outcome& outcome) {
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)["runs"];
}

TEST_CASE("a job's own profiles forecast it on more nodes", "[cli]") {
  const ProfiledJob job;

  const auto runs =
      runs_of(job.run("--input 3x32x32 --train-samples 6400 --strategy sync --epochs 1 --forecast "
                      "nodes=2,4,8 --set deterministic=on --format json"));

  REQUIRE(runs.size() == 3);
  for (const auto& run : runs) {
    const double nodes = run["nodes"];
    CAPTURE(nodes);
    const double iterations = 6400 / (16 * nodes);
    // A ring sends 2 (P - 1) / P of the gradient over each link: between two ranks, all of it.
    const double exchange_s = kAllReduce_s * 2 * (nodes - 1) / nodes;
    CHECK(run["batch"] == 16);
    CHECK(run["iterations_per_epoch"] == iterations);
    CHECK(run["compute_s"].get<double>() == Approx(iterations * kCompute_s));
    CHECK(run["exposed_communication_s"].get<double>() ==
          Approx(iterations * exchange_s).epsilon(1e-3));
    CHECK(run["input_grade"] == "estimated");
  }
}

TEST_CASE("every strategy is forecast, with the assumptions", "[cli]") {
  const ProfiledJob job;

  const Outcome outcome =
      job.run("--input 3x32x32 --forecast nodes=4 --epochs 1 --set deterministic=on");

  CHECK(outcome.status == 0);
  for (const std::string& text : {
           std::string("batch 16 of resnet20 on my-cpu: median 100 ms of 4\n"),
           std::string(
               "an epoch is taken to have 100000 samples (--dataset or --train-samples sets "
               "another number)\n"),
           std::string("resnet20 on samples of 3x32x32, platform cluster of my-cpu, 4 nodes: 4 "
                       "my-cpu, batch 16 per worker, float32, 1 epoch  [nodes 4]\n"),
           std::string("  sync, overlap  "),
           std::string("  local-sgd, H 32  "),
           std::string("all: messages between nodes cost what the job's own all-reduces of 1.08 MB "
                       "among 2 ranks (2 samples) say"),
           std::string("all: more than 2 nodes were not measured"),
           std::string("all: each rank of the profiles is taken for a node of its own"),
       }) {
    CAPTURE(text);
    CHECK(outcome.out.find(text) != std::string::npos);
  }
  CHECK(outcome.out.find("wrote") == std::string::npos);
}

TEST_CASE("a network with a single shape of samples needs no data set", "[cli]") {
  const Folder folder;
  folder.write("times.csv", "batch,time_ms\n8,100\n8,101\n8,102\n");

  const auto run = runs_of(folder.run(
      "import times.csv --network mobilenetv2 --device-name test-gpu --platform pair.json "
      "--strategy sync --forecast nodes=2 --epochs 1 --format json"))[0];

  CHECK(run["dataset"] == "samples of 3x224x224");
  CHECK(run["train_samples"] == 100'000);
}

TEST_CASE("a forecast on a platform equals that of simulate with the imported trace", "[cli]") {
  const ProfiledJob job;
  const std::string settings =
      " --platform pair.json --dataset cifar10 --strategy sync,local-sgd --epochs 2";

  const auto imported =
      runs_of(job.folder.run("import rank0.json rank1.json --network resnet20 --device test-gpu "
                             "--machine m --output t.json --forecast nodes=2 --format json" +
                             settings));
  const auto simulated = runs_of(job.folder.run(
      "simulate --network resnet20 --batch 16 --nodes 2 --trace t.json --format json" + settings));

  REQUIRE(imported.size() == 2);
  REQUIRE(simulated.size() == 2);
  for (const int i : {0, 1}) CHECK(imported[i]["epoch_s"] == simulated[i]["epoch_s"]);
}

TEST_CASE("a platform of equal nodes in a star grows to the requested number", "[cli]") {
  const ProfiledJob job;

  const auto runs =
      runs_of(job.folder.run("import rank0.json rank1.json --network resnet20 --device test-gpu "
                             "--dataset cifar10 --platform pair.json --strategy sync --epochs 1 "
                             "--forecast nodes=2,8 --format json"));

  REQUIRE(runs.size() == 2);
  CHECK(runs[1]["nodes"] == 8);
}

TEST_CASE("missing records of exchanges are an error with a hint", "[cli]") {
  const ProfiledJob job;
  job.folder.write("times.csv", "batch,time_ms\n8,100\n8,101\n8,102\n");
  const auto error_of = [&](const std::string& words) {
    const Outcome outcome = job.folder.run(
        "import " + words + " --network resnet20 --input 3x32x32 --forecast nodes=2,4");
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };

  CHECK(error_of("rank0.json --device d") ==
        "epochcast: --forecast: got the profile of one rank, whose all-reduces include waiting for "
        "others, so the cost of exchanges is unknown; expected --platform, for its links, or "
        "the profiles of all ranks\n");
  CHECK(error_of("times.csv --device d") ==
        "epochcast: --forecast: tables have no all-reduces, so the cost of exchanges is unknown; "
        "expected --platform, for its links\n");
  CHECK(error_of("rank0.json rank1.json --device d --ranks-per-node 0") ==
        "epochcast: --forecast: all ranks are on one node (--ranks-per-node), so the cost of "
        "exchanges is unknown; expected --platform, for its links, or ranks on several nodes\n");
  CHECK(error_of("rank0.json rank1.json --device test-gpus --platform pair.json") ==
        "epochcast: --platform: pair does not have the device that was measured; unknown device "
        "\"test-gpus\"; did you mean \"test-gpu\"?\n");
}

TEST_CASE("a network other than the profiled one gives a warning", "[cli]") {
  const ProfiledJob job;
  const auto notes_with = [&](const std::string& network) {
    const Outcome outcome =
        job.folder.run("import rank0.json rank1.json --device d --input 3x32x32 --network " +
                       network + " --strategy sync --forecast nodes=2");
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };

  CHECK_THAT(notes_with("resnet20"), !Catch::Contains("wrong if another network"));
  CHECK_THAT(notes_with("resnet18"),
             Catch::Contains("the job's all-reduces have 1.08 MB an iteration, gradients of "
                             "resnet18 44.7 MB: forecasts are of these, and wrong if another "
                             "network was profiled"));
}

TEST_CASE("flags of the forecast are refused without it, and contradictory ones", "[cli]") {
  const ProfiledJob job;
  const auto error_of = [&](const std::string& words) {
    const Outcome outcome = job.run("--input 3x32x32 " + words);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(job.folder.has("t.json"));
    return outcome.err;
  };
  const std::string kept = "--machine m --output t.json ";

  CHECK(error_of(kept + "--strategy sync --set overlap=bucket --format json") ==
        "epochcast: --strategy: is for --forecast; expected that, too, as in nodes=2,4,8\n"
        "epochcast: --set: is for --forecast; expected that, too, as in nodes=2,4,8\n"
        "epochcast: --format: is for --forecast; expected that, too, as in nodes=2,4,8\n");
  CHECK(error_of("--output t.json --forecast nodes=2") ==
        "epochcast: --machine: missing; expected the machine that the job ran on, in words\n");
  CHECK(error_of("--device d --forecast nodes=2") ==
        "epochcast: --device-name: is the same as --device; expected one of them, got both\n");
  CHECK(error_of("--forecast nodes=2 --set batchs=8") ==
        "epochcast: --set batchs: unknown setting \"batchs\"; did you mean \"batch\"?\n");
}

TEST_CASE("the forecast's options are checked before the job is read", "[cli]") {
  const ProfiledJob job;
  const auto error_of = [&](const std::string& words) {
    return job.run("--input 3x32x32 " + words).err;
  };

  CHECK(error_of("--forecast nodes") ==
        "epochcast: --forecast: got \"nodes\"; expected a setting and its values, such as "
        "nodes=4,8,12\n");
  CHECK(error_of("--forecast network=resnet18,resnet20") ==
        "epochcast: --forecast network: the records are of one network; expected another setting, "
        "such as nodes=2,4,8\n");
}

TEST_CASE("devices of a platform have the power of their data sheets", "[cli]") {
  const ProfiledJob job;

  const Outcome outcome = job.folder.run(
      "import rank0.json rank1.json --network resnet20 --device v100-32gb --input 3x32x32 "
      "--platform deep-est-esb --strategy sync --epochs 1 --forecast nodes=2");

  CHECK(outcome.status == 0);
  CHECK_THAT(
      outcome.out,
      Catch::Contains("energy") && !Catch::Contains("these devices have no power in their file"));
}

TEST_CASE("folders of images and of tokens take their sizes from flags, which --set refuses",
          "[cli]") {
  const Folder folder;
  folder.write("times.csv", "batch,time_ms\n8,100\n8,101\n8,102\n");
  for (const char* half : {"train", "val"}) {
    std::filesystem::create_directories(folder.path() / "photos" / half / "cat");
    folder.write(std::string("photos/") + half + "/cat/1.jpg", "");
  }
  std::filesystem::create_directory(folder.path() / "texts");
  folder.write("texts/train.bin", std::string(9000, '\7'));
  folder.write("texts/val.bin", std::string(1000, '\7'));
  const auto import = [&](const std::string& words) {
    return folder.run("import times.csv --device d --machine m --output t.json " + words);
  };
  const auto input = [&] {
    return nlohmann::json::parse(folder.read("t.json"))["costs"][0]["input"].dump();
  };

  CHECK(import("--network resnet18 --dataset photos --image-size 64").status == 0);
  CHECK(input() == "[3,64,64]");
  CHECK(import("--network bert-base --dataset texts --sequence 128").status == 0);
  CHECK(input() == "[128]");
  CHECK(import("--network resnet20 --input 3,32,32").status == 0);
  CHECK(input() == "[3,32,32]");
  CHECK(import("--network resnet20 --input 3,32,32 --image-size 32").err ==
        "epochcast: --image-size: is for --dataset; expected that, too\n");
  CHECK(import("--network resnet18 --dataset photos --platform pair.json --forecast nodes=2 --set "
               "image-size=64")
            .err == "epochcast: --set image-size: is a flag here; expected --image-size\n");
  CHECK_THAT(import("--network resnet20 --input 3x32x32 --platform pair.json --forecast "
                    "image-size=32,64")
                 .err,
             Catch::Contains("--forecast image-size: the records are of one image-size"));
}

}  // namespace
}  // namespace epochcast::tests
