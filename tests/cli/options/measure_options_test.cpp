// SPDX-License-Identifier: Apache-2.0
#include "cli/options/measure_options.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

MeasureOptions parse(std::vector<const char*> words) {
  words.insert(words.begin(), "epochcast-measure");
  return parse_options(static_cast<int>(words.size()), words.data(), Catalog(EPOCHCAST_SOURCE_DIR));
}

std::vector<std::string> problems(std::vector<const char*> words) {
  try {
    static_cast<void>(parse(std::move(words)));
  } catch (const UserError& error) {
    return error.problems();
  }
  return {};
}

using Problems = std::vector<std::string>;

TEST_CASE("options are parsed into settings") {
  const MeasureOptions options = parse({"--network",
                                        "resnet20,small-cnn",
                                        "--network",
                                        "resnet18",
                                        "--batch",
                                        "8,2",
                                        "--batch",
                                        "4",
                                        "--output",
                                        "t.json",
                                        "--device-name",
                                        "some-cpu",
                                        "--drop-preempted"});

  CHECK(options.settings.networks == Problems{"resnet20", "small-cnn", "resnet18"});
  CHECK(options.settings.batches == std::vector<std::int64_t>{2, 4, 8});
  CHECK(options.settings.layers_batch == 4);
  CHECK(options.settings.input == std::vector<std::int64_t>{3, 32, 32});
  CHECK(options.settings.classes == 10);
  CHECK(options.settings.rule.drop_preempted);
  CHECK(options.header.name == "t");
  CHECK(options.header.title == "Training batches on cifar10, some-cpu");
  CHECK(options.header.source.command ==
        "epochcast-measure --network resnet20,small-cnn --network resnet18 --batch 8,2 "
        "--batch 4 --output t.json --device-name some-cpu --drop-preempted");
  CHECK_FALSE(options.is_append);
}

TEST_CASE("the precision is what the device computes, and part of the title") {
  const auto parsed = [](const char* precision) {
    return parse({"--network",
                  "small-cnn",
                  "--batch",
                  "1",
                  "--output",
                  "t.json",
                  "--device-name",
                  "d",
                  "--precision",
                  precision});
  };

  CHECK(parsed("bfloat16").settings.precision == Precision::bfloat16);
  CHECK(parsed("bfloat16").header.title == "Training batches on cifar10, d, bfloat16");
  CHECK(parsed("tf32").settings.precision == Precision::float32);
  CHECK(parsed("tf32").settings.precision_note ==
        "cpu has no tf32: float32 was computed there, as PyTorch does");
  CHECK(parsed("float32").settings.precision_note.empty());
  CHECK_THROWS_WITH(parsed("fp16"), Catch::StartsWith("--precision: got \"fp16\""));
}

TEST_CASE("ranks are known before the rest is parsed, and only the writer needs the folder") {
  const std::vector<const char*> words = {"epochcast-measure",
                                          "--ranks",
                                          "2",
                                          "--network",
                                          "small-cnn",
                                          "--batch",
                                          "1",
                                          "--output",
                                          "absent-folder/t.json"};
  const int count = static_cast<int>(words.size());

  CHECK(ranks_wanted(count, words.data()) == 2);
  CHECK(ranks_wanted(1, words.data()) == 1);
  const MeasureOptions options = parse_options(count, words.data(), Catalog(EPOCHCAST_SOURCE_DIR));
  CHECK(options.ranks == 2);
  CHECK(options.file == "absent-folder/t.json");
}

TEST_CASE("ranks with the same slowdown have a trace, named after it") {
  const MeasureOptions options = parse({"--network",
                                        "small-cnn",
                                        "--batch",
                                        "1",
                                        "--output",
                                        "t.json",
                                        "--device-name",
                                        "d",
                                        "--ranks",
                                        "4",
                                        "--slow-down",
                                        "cpu=1.5,1=3,3=3"});

  const std::vector<DeviceTrace> traces = device_traces(options);

  REQUIRE(traces.size() == 2);
  CHECK(traces[0].ranks == std::vector<std::size_t>{0, 2});
  CHECK(traces[0].header.device == "d-slowed-1.5x");
  CHECK(traces[0].file == "t-slowed-1.5x.json");
  CHECK(traces[1].ranks == std::vector<std::size_t>{1, 3});
  CHECK(traces[1].header.device == "d-slowed-3x");
  CHECK(traces[1].header.name == "t-slowed-3x");
  CHECK(slow_down_of(options, 0) == 1.5);
  CHECK(slow_down_of(options, 3) == 3);
}

TEST_CASE("all problems of a command line are reported at once") {
  CHECK(problems({"--network",
                  "resnet19",
                  "--dataset",
                  "cifar11",
                  "--batch",
                  "4,x",
                  "--output",
                  "t.json",
                  "--threads",
                  "0",
                  "--confidence-width",
                  "1e",
                  "--device",
                  "tpu",
                  "--device-name",
                  "x"}) ==
        Problems{
            "--network: unknown network \"resnet19\"; did you mean \"resnet18\"?",
            "--dataset: unknown dataset \"cifar11\"; did you mean \"cifar10\"?",
            "--batch: got \"x\"; expected an integer from 1 to 1048576",
            "--confidence-width: got \"1e\"; expected a positive number",
            "--threads: got \"0\"; expected an integer from 1 to 1024",
            "--device: got \"tpu\"; expected cpu or cuda:N",
        });
}

TEST_CASE("missing or contradictory options are reported") {
  CHECK(problems({}) == Problems{
                            "--network: missing; expected a name such as small-cnn",
                            "--batch: missing; expected batch sizes such as 1,2,4",
                            "--output: missing; expected a trace file to write",
                        });
  CHECK(
      problems(
          {"--network", "resnet20", "--batch", "1", "--output", "a.json", "--append", "b.json"}) ==
      Problems{"--append: expected either this or --output, got both"});
  CHECK(problems({"--network", "resnet20", "--batch", "1", "--output", "folder/"}) ==
        Problems{"--output: got \"folder/\"; expected the name of a file"});
  CHECK(problems({"--network",
                  "resnet20",
                  "--batch",
                  "1",
                  "--output",
                  "t.json",
                  "--device",
                  "cuda:0",
                  "--drop-preempted"}) ==
        Problems{"--drop-preempted: got --device cuda:0; expected cpu (a thread that waits for a "
                 "GPU counts as preempted)",
                 "--device-name: missing; expected the GPU's name, as platforms call it"});
  CHECK(
      problems(
          {"--network", "resnet20", "--batch", "1", "--output", "t.json", "--slow-down", "2=3"}) ==
      Problems{"--slow-down: unknown device class, model or rank \"2\"; did you mean \"0\"?"});
  const auto slowed = [](const char* text) {
    return problems(
        {"--network", "resnet20", "--batch", "1", "--output", "t.json", "--slow-down", text});
  };
  CHECK(slowed("2=3") ==
        Problems{"--slow-down: unknown device class, model or rank \"2\"; did you mean \"0\"?"});
  CHECK(slowed("cpu=0.5") ==
        Problems{"--slow-down: got \"0.5\"; expected factors from 1 to 10000, such as cpu=8"});
  CHECK(problems({"--bach", "1"}) ==
        Problems{"unknown option \"--bach\"; did you mean \"--batch\"?"});
  CHECK(problems({"resnet20"}) ==
        Problems{"got a word that belongs to no option; expected --network, --batch, --output"});
  CHECK(problems({"--output"}) ==
        Problems{"the required argument for option '--output' is missing"});
}

}  // namespace
}  // namespace epochcast::tests
