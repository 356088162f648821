// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kData = std::string(EPOCHCAST_SOURCE_DIR) + "/tests/analysis/data/";
const std::string kTwoGpus = kData + "two-gpus-rank0.json " + kData + "two-gpus-rank1.json";
const std::string kOptions =
    " --network resnet20 --input 3x32x32 --device test-gpu --machine two-GPUs --output t.json";

nlohmann::json parsed(const Folder& folder, const std::string& file) {
  return nlohmann::json::parse(folder.read(file));
}

TEST_CASE("profiles become a cost trace, a message trace and a summary", "[cli]") {
  const Folder folder;
  const Outcome outcome =
      folder.run("import " + kTwoGpus + kOptions + " --batch 32 --messages-output m.json");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == kData +
                           "two-gpus-rank0.json: rank 0, 2 iterations after 1 of warm-up, "
                           "computing median 850 us (5-95 %: 805 us to 895 us), exposed "
                           "communication median 150 us\n" +
                           kData +
                           "two-gpus-rank1.json: rank 1, 2 iterations after 1 of warm-up, "
                           "computing median 850 us (5-95 %: 805 us to 895 us), exposed "
                           "communication median 150 us\n"
                           "batch 32 of resnet20 on test-gpu: median 850 us of 4\n"
                           "  load 100 us, forward 250 us, backward 350 us, step 150 us\n"
                           "all-reduce of 4000 B by nccl (all ranks): 2, median 230 us\n"
                           "wrote t.json and m.json\n"
                           "no platform of `epochcast list platforms` has a device \"test-gpu\"; "
                           "one of yours must, for simulate to use this trace\n");
  const auto batches = parsed(folder, "t.json")["costs"][0]["batches"];
  REQUIRE(batches.size() == 2);
  for (const int rank : {0, 1}) {
    CHECK(batches[rank].dump() ==
          R"({"backward_seconds":[0.0003,0.0004],"batch":32,"forward_seconds":[0.00025,0.00025],)"
          R"("load_seconds":[0.0001,0.0001],"rank":)" +
              std::to_string(rank) +
              R"(,"seconds":[0.0008,0.0009],"step_seconds":[0.00015,0.00015]})");
  }
  CHECK(parsed(folder, "t.json")["source"]["date"] == "2026-11-20");
  CHECK(parsed(folder, "m.json")["costs"].dump() ==
        R"([{"algorithm":"nccl","bytes":4000,"kind":"all-reduce","samples_s":[0.00022,0.00024],)"
        R"("scope":"all"}])");
}

TEST_CASE("an imported trace forecasts", "[cli]") {
  const Folder folder;
  REQUIRE(folder.run("import " + kTwoGpus + kOptions + " --batch 32").status == 0);
  const Outcome outcome = folder.run(
      "simulate --platform pair.json --network resnet20 --dataset cifar10 --batch 32 --strategy "
      "sync --trace t.json --deterministic --epochs 1 --format json");

  CHECK(outcome.status == 0);
  // 50,000 samples are 781 batches of 32 on two GPUs, each of the median of 850 us.
  const auto run = nlohmann::json::parse(outcome.out)["runs"][0];
  CHECK(run["compute_s"].get<double>() == Approx(781 * 850e-6));
}

TEST_CASE("a table of another batch size can be added to a trace", "[cli]") {
  const Folder folder;
  folder.write("a.csv", "step,iteration_time_ms\n0,900\n1,250\n2,500\n");
  folder.write("b.csv", "batch,time,rank\n64,9,0\n64,1,0\n");
  const std::string given_options =
      " --network resnet20 --dataset cifar10 --device test-gpu --machine m --date 2026-11-20";

  CHECK(folder.run("import a.csv --batch 32 --output t.json" + given_options).status == 0);
  CHECK(folder.run("import b.csv --append t.json --time-column time --time-unit s" + given_options)
            .status == 0);

  const auto trace = parsed(folder, "t.json");
  CHECK(trace["costs"][0]["batches"].dump() ==
        R"([{"batch":32,"seconds":[0.25,0.5]},{"batch":64,"seconds":[1.0],"session":1}])");
  CHECK(trace["source"]["date"] == "2026-11-20");
}

TEST_CASE("all missing values are reported at once", "[cli]") {
  const Outcome outcome = Folder().run("import");

  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err ==
        "epochcast: FILE: missing; expected profiles (JSON) or a table (CSV)\n"
        "epochcast: --output: missing; expected a cost trace to write\n"
        "epochcast: --dataset: missing; expected a data set, or --input with the samples' shape\n"
        "epochcast: --network: missing; expected the network that was trained\n"
        "epochcast: --device: missing; expected the device that computed, as platforms call it\n"
        "epochcast: --machine: missing; expected the machine that the job ran on, in words\n");
}

TEST_CASE("bad input is reported by file and path, without output", "[cli]") {
  const Folder folder;
  folder.write(
      "p.json",
      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": -1}]})");
  folder.write("cut.json", R"({"traceEvents": [{"ph")");
  folder.write("empty.json", "");
  const auto error_of = [&](const std::string& words) {
    const Outcome outcome = folder.run("import " + words);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(folder.has("t.json"));
    return outcome.err;
  };
  const std::string given_options = kOptions + " --batch 32";

  CHECK(error_of("p.json" + given_options) ==
        "epochcast: p.json: /traceEvents/0/dur: got -1; expected microseconds, not negative\n");
  CHECK(error_of("cut.json" + given_options) ==
        "epochcast: cut.json:1:23: not valid JSON (the file ends too early)\n");
  CHECK(error_of("empty.json" + given_options) == "epochcast: empty.json: is empty\n");
  CHECK(error_of("no.json" + given_options) ==
        "epochcast: no.json: cannot be read: No such file or directory\n");
  CHECK(error_of(kTwoGpus + kOptions) ==
        "epochcast: --batch: missing; expected the samples per rank and iteration, which the "
        "profiles do not contain (without record_shapes=True)\n");
  CHECK(error_of(kTwoGpus + given_options + " --dataset cifar10") ==
        "epochcast: --input: expected either this or --dataset, got both\n");
  CHECK(error_of(kTwoGpus + given_options + " --skips 2") ==
        "epochcast: unknown option \"--skips\"; did you mean \"--skip\"?\n");
  CHECK(error_of(kTwoGpus + given_options + " --date 2026-02-31") ==
        "epochcast: --date: got \"2026-02-31\"; expected a day such as 2026-11-21\n");
  CHECK(error_of(kTwoGpus + " --device a,b --network resnet20 --input 3x32x32 --machine m --batch "
                            "32 --output t.json") ==
        "epochcast: --device: got \"a,b\"; expected a name: at most 100 letters, digits, spaces "
        "and ._-+:@(), a letter or digit first\n");
}

TEST_CASE("a message trace needs all-reduces of known size", "[cli]") {
  const Folder folder;
  folder.write("a.csv", "time_ms\n1\n2\n");
  const Outcome outcome = folder.run("import a.csv --batch 32 --messages-output m.json" + kOptions);

  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "epochcast: --messages-output: got no all-reduces; expected all-reduces of the whole "
        "job\n");
  CHECK_FALSE(folder.has("t.json"));
}

TEST_CASE("import --help names every option", "[cli]") {
  const Outcome outcome = Folder().run("import --help all");

  CHECK(outcome.status == 0);
  for (const std::string option : {"--network NAME",
                                   "--dataset NAME",
                                   "--input SHAPE",
                                   "--batch COUNT",
                                   "--device NAME",
                                   "--machine TEXT",
                                   "--output FILE",
                                   "--append FILE",
                                   "--messages-output FILE",
                                   "--title TEXT",
                                   "--date YYYY-MM-DD",
                                   "--skip COUNT",
                                   "--ranks-per-node COUNT",
                                   "--time-column NAME",
                                   "--time-unit s|ms|us|ns",
                                   "--device-name NAME",
                                   "--forecast NAME=V1,V2,...",
                                   "--platform NAME|FILE",
                                   "--strategy NAME[,NAME]|all",
                                   "--epochs COUNT",
                                   "--train-samples COUNT",
                                   "--all-reduce NAME",
                                   "--set NAME=VALUE",
                                   "--format table|json|csv"}) {
    CAPTURE(option);
    CHECK(outcome.out.find(option) != std::string::npos);
  }
}

}  // namespace
}  // namespace epochcast::tests
