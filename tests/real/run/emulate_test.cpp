// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

/// Nodes of one GPU, two CPUs and one GPU.
const std::string kUneven = R"({
  "schema": "epochcast.platform/1", "name": "uneven", "title": "Uneven nodes",
  "source": {"grade": "estimated", "method": "made up"},
  "nodes": [
    {"name": "first", "count": 1, "devices": [{"class": "gpu", "model": "test-gpu"}]},
    {"name": "second", "count": 1, "devices": [{"class": "cpu", "model": "test-cpu", "count": 2}],
     "interconnect": {"topology": "shared-memory", "bandwidth": "5GBps", "latency": "2us",
                      "source": {"grade": "estimated", "method": "made up"}}},
    {"name": "third", "count": 1, "devices": [{"class": "gpu", "model": "test-gpu"}]}
  ],
  "network": {"topology": "star", "bandwidth": "1GBps", "latency": "2us",
              "source": {"grade": "estimated", "method": "made up"}}
})";

TEST_CASE("emulate sleeps for the cost of computing and sends real messages") {
  const Folder folder;

  const Outcome outcome = folder.run(
      "emulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 1 --batch 5000 "
      "--strategy sync --batch-seconds gpu=100ms --format json");

  REQUIRE(outcome.status == 0);
  const auto run = nlohmann::json::parse(outcome.out).at("runs").at(0);
  CHECK(run.at("iterations_per_epoch") == 5);
  CHECK(run.at("nodes") == 2);
  CHECK(run.at("compute_s").get<double>() >= 5 * 0.1);
  CHECK(run.at("inter_node_bytes").get<double>() > 0);
  CHECK(run.at("notes").back() ==
        "all ranks ran on one machine: messages between nodes went through its memory");
}

TEST_CASE("emulate places node i on host i") {
  const Folder folder;
  folder.write("hosts", "10.0.0.1 slots=4\n10.0.0.2 slots=4\n");
  folder.write("uneven.json", kUneven);
  const std::string job =
      "emulate --platform uneven.json --network resnet20 --dataset cifar10 --batch-seconds "
      "gpu=100ms,cpu=1s --dry-run --strategy ";

  const Outcome hosts = folder.run(job + "sync --hosts c,a,b");
  CHECK_THAT(hosts.out, Catch::StartsWith("mpirun -n 4 "));
  CHECK_THAT(hosts.out, Catch::Contains(" --host c,a,a,b --map-by seq "));

  const Outcome fastest = folder.run(job + "sync-fastest --hosts c,a,b:1");
  CHECK_THAT(fastest.out, Catch::StartsWith("mpirun -n 2 "));
  CHECK_THAT(fastest.out, Catch::Contains(" --host c,b --map-by seq "));

  const Outcome few = folder.run(job + "sync --hosts a,b");
  CHECK_THAT(few.out, Catch::Contains(" --host a:2,b:2 "));

  const Outcome environment = run_program(
      folder.command(words(job + "sync --nodes 2"),
                     {},
                     {"OMPI_MCA_orte_default_hostfile=" + (folder.path() / "hosts").string()}));
  CHECK_THAT(environment.out, Catch::Contains(" --host 10.0.0.1,10.0.0.2,10.0.0.2 --map-by seq "));

  const Outcome script = folder.run(job + "sync --slurm --slurm-nodes 3");
  CHECK_THAT(script.out, Catch::Contains("#SBATCH --nodes=3\n#SBATCH --ntasks-per-node=2\n"));
  CHECK_THAT(script.out, Catch::Contains("mpirun -n 6 "));
}

TEST_CASE("ranks beyond an emulated job's workers are idle until its end") {
  const Folder folder;
  const std::string program =
      (std::filesystem::path(EPOCHCAST_PROGRAM).parent_path() / "epochcast-run").string();

  const Outcome outcome = folder.run(
      "--allow-run-as-root --oversubscribe --bind-to none -n 4 " + program +
          " emulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 1 --batch "
          "5000 --strategy sync --batch-seconds gpu=20ms --format json",
      {.program = "mpirun"});

  REQUIRE(outcome.status == 0);
  const auto run = nlohmann::json::parse(outcome.out).at("runs").at(0);
  CHECK(run.at("workers") == 2);
  CHECK(run.at("iterations_per_epoch") == 5);
}

TEST_CASE("emulated workers sleep for the costs of their own ranks") {
  const Folder folder;
  folder.write("ranks.json",
               R"({"schema": "epochcast.trace/1", "name": "ranks", "title": "Ranks",
  "source": {"grade": "estimated", "method": "made up"}, "device": "test-gpu",
  "costs": [{"network": "resnet20", "input": [3, 32, 32], "batches": [
    {"batch": 5000, "seconds": [0.05, 0.05, 0.05]}, {"batch": 5000, "rank": 1, "seconds": [0.35]}]}]})");

  const Outcome outcome = folder.run(
      "emulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 1 --batch 5000 "
      "--strategy sync --trace ranks.json --deterministic --format json");

  REQUIRE(outcome.status == 0);
  const auto run = nlohmann::json::parse(outcome.out).at("runs").at(0);
  // Sleeping is never shorter. The median of all four samples would take 0.05 s.
  CHECK(run.at("compute_s").get<double>() >= 5 * (0.05 + 0.35) / 2);
}

}  // namespace
}  // namespace epochcast::tests
