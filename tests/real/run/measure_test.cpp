// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

const std::string kMeasure =
    "measure batches --network small-cnn --batch 2,4 --layers-batch 2 --warmup 1 --min-samples 4 "
    "--max-samples 6 --device-name d ";

TEST_CASE("ranks measure at the same time, and sessions one after the other") {
  const Folder folder;

  const Outcome first = folder.run(kMeasure + "--ranks 2 --append t.json");
  const Outcome second = folder.run(kMeasure + "--ranks=2 --append t.json");

  REQUIRE(first.status == 0);
  REQUIRE(second.status == 0);
  CHECK(first.out.empty());
  CHECK(lines(first.err).size() == 5);  // two batch sizes, layers, overlap, the written file
  const auto trace = nlohmann::json::parse(folder.read("t.json"));
  std::vector<std::tuple<int, int, int>> measured;
  for (const auto& batch : trace.at("costs").at(0).at("batches")) {
    measured.emplace_back(batch.at("batch"), batch.value("session", 0), batch.at("rank"));
    CHECK(batch.at("seconds").size() >= 4);
    CHECK(batch.at("seconds").size() <= 6);
  }
  CHECK(
      measured ==
      std::vector<std::tuple<int, int, int>>{
          {2, 0, 0}, {2, 0, 1}, {2, 1, 0}, {2, 1, 1}, {4, 0, 0}, {4, 0, 1}, {4, 1, 0}, {4, 1, 1}});
  std::vector<std::tuple<int, int>> overlapped;
  for (const auto& overlap : trace.at("costs").at(0).at("overlap")) {
    overlapped.emplace_back(overlap.value("session", 0), overlap.value("rank", 0));
    CHECK(overlap.at("all_reduce") == "ring");
    CHECK(overlap.at("batch") == 4);
    CHECK(overlap.at("batch_seconds").size() == overlap.at("exchange_alone_seconds").size());
  }
  CHECK(overlapped == std::vector<std::tuple<int, int>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  CHECK(trace.at("device") == "d");
  CHECK_THAT(trace.at("source").at("command").get<std::string>(),
             Catch::StartsWith("mpirun -n 2 epochcast-measure --ranks 2 --network small-cnn"));
}

TEST_CASE("batches are measured in a precision, which the trace records beside others") {
  const Folder folder;
  const std::string measure = kMeasure + "--append t.json ";

  REQUIRE(folder.run(measure).status == 0);
  REQUIRE(folder.run(measure + "--precision bfloat16").status == 0);
  const Outcome refused = folder.run(measure + "--precision float16");

  const auto costs = nlohmann::json::parse(folder.read("t.json")).at("costs");
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].at("precision") == "float32");
  CHECK(costs[1].at("precision") == "bfloat16");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("--precision: float16 needs a GPU; on a CPU choose"));
}

TEST_CASE("overlap is measured with the chosen all-reduce, or not at all") {
  const Folder folder;

  const Outcome with = folder.run(
      kMeasure + "--ranks 2 --overlap openmpi --bucket 10kB --max-seconds 0.2 --output with.json");
  const Outcome without = folder.run(kMeasure + "--ranks 2 --overlap none --output without.json");
  const Outcome wrong = folder.run(kMeasure + "--ranks 2 --overlap rign --output wrong.json");

  REQUIRE(with.status == 0);
  REQUIRE(without.status == 0);
  const auto cost = nlohmann::json::parse(folder.read("with.json")).at("costs").at(0);
  CHECK(cost.at("overlap").at(0).at("all_reduce") == "openmpi");
  CHECK(cost.at("overlap").at(0).at("bytes") == 10'000);
  const auto plain = nlohmann::json::parse(folder.read("without.json")).at("costs").at(0);
  CHECK_FALSE(plain.contains("overlap"));
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Catch::Contains("did you mean \"ring\"?"));
}

TEST_CASE("kernels of compressions are measured on all gradients and on a part of them") {
  const Folder folder;

  const Outcome two =
      folder.run(kMeasure + "--ranks 2 --overlap none --compression topk,fp16 --output two.json");
  const Outcome wrong = folder.run(kMeasure + "--compression topp --output wrong.json");

  REQUIRE(two.status == 0);
  const auto kernels =
      nlohmann::json::parse(folder.read("two.json")).at("costs").at(0).at("kernels");
  std::vector<std::string> names;
  for (const auto& kernel : kernels) {
    names.push_back(kernel.at("compression").get<std::string>() + " " +
                    kernel.at("kernel").get<std::string>());
    CHECK(kernel.at("seconds").size() >= 2 * 5);  // of two ranks
  }
  CHECK(names == std::vector<std::string>{"topk compress",
                                          "topk decompress",
                                          "topk compress",
                                          "topk decompress",
                                          "fp16 compress",
                                          "fp16 decompress",
                                          "fp16 compress",
                                          "fp16 decompress"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Catch::Contains("did you mean \"topk\"?"));
}

TEST_CASE("a slowed rank is another device, with its own trace") {
  const Folder folder;

  const Outcome outcome = folder.run(
      "measure batches --network small-cnn --batch 2 --layers-batch 0 --overlap none --warmup 1 "
      "--min-samples 3 --max-samples 3 --device-name d --ranks 2 --slow-down 1=400 --append "
      "t.json");

  REQUIRE(outcome.status == 0);
  const auto own = nlohmann::json::parse(folder.read("t.json"));
  const auto slowed = nlohmann::json::parse(folder.read("t-slowed-400x.json"));
  CHECK(own.at("device") == "d");
  CHECK(slowed.at("device") == "d-slowed-400x");
  const auto least_s = [](const nlohmann::json& trace) {
    const auto seconds =
        trace.at("costs").at(0).at("batches").at(0).at("seconds").get<std::vector<double>>();
    return *std::min_element(seconds.begin(), seconds.end());
  };
  // Load would have to make each of the fast rank's batches 400 times as long.
  CHECK(least_s(slowed) > least_s(own));
}

TEST_CASE("one rank needs no mpirun, and its entries have no rank") {
  const Folder folder;

  REQUIRE(folder.run(kMeasure + "--output t.json").status == 0);

  const auto trace = nlohmann::json::parse(folder.read("t.json"));
  for (const auto& batch : trace.at("costs").at(0).at("batches"))
    CHECK_FALSE(batch.contains("rank"));
  CHECK_THAT(trace.at("source").at("command").get<std::string>(),
             Catch::StartsWith("epochcast-measure --network"));
}

TEST_CASE("a problem of a measurement is reported once, by one rank") {
  const Folder folder;
  const auto complains = [&](const std::string& arguments, const std::string& text) {
    const Outcome outcome = folder.run(arguments);
    CAPTURE(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.err == text + "\n");
  };

  complains(kMeasure + "--ranks 2 --output absent/t.json",
            "epochcast-measure: absent/t.json: cannot be written: there is no folder absent");
  complains("measure batches --ranks 2 --network small-cnn --bach 2",
            "epochcast-measure: unknown option \"--bach\"; did you mean \"--batch\"?");
  complains("measure batches --ranks 2 --network distilbert --batch 2 --output t.json",
            "epochcast-measure: distilbert: got samples of shape 3x32x32; expected texts [tokens] "
            "of at most 512 tokens");
  complains(kMeasure + "--ranks none --output t.json",
            "epochcast: --ranks: got \"none\"; expected a whole number of at least 1");
  complains(kMeasure + "--hosts a,:2 --output t.json",
            "epochcast: --hosts: got \"a,:2\"; expected names such as node1,node2:4");
  complains(kMeasure + "--output t.json --ranks",
            "epochcast-measure: the required argument for option '--ranks' is missing");
}

TEST_CASE("--hosts and --mpi-arguments are passed to mpirun, and decide the number of ranks") {
  const Folder folder;

  const Outcome outcome =
      folder.run({"measure",       "batches", "--network",       "small-cnn",
                  "--batch",       "2",       "--layers-batch",  "0",
                  "--warmup",      "1",       "--min-samples",   "3",
                  "--max-samples", "3",       "--hosts",         "localhost:2",
                  "--output",      "t.json",  "--mpi-arguments", "--mca mpi_yield_when_idle 1"});

  REQUIRE(outcome.status == 0);
  const auto trace = nlohmann::json::parse(folder.read("t.json"));
  CHECK(trace.at("costs").at(0).at("batches").size() == 2);
}

}  // namespace
}  // namespace epochcast::tests
