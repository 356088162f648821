// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/text/units.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

/// kJob's flags without the command.
const std::string kFlags = kJob.substr(kJob.find(' ') + 1);

std::vector<std::string> asked(const std::string& name,
                               const std::string& where,
                               const std::string& flags) {
  std::vector<std::string> arguments = {"find", name, "--where", where};
  for (const std::string& word : words(kFlags + " " + flags)) arguments.push_back(word);
  return arguments;
}

TEST_CASE("find: the answer meets its condition, the value before it does not", "[cli]") {
  const Folder folder;
  const Outcome outcome =
      folder.run(asked("network.bandwidth", "exposed < 1%", "--strategy sync --format json"));
  REQUIRE(outcome.status == 0);
  const nlohmann::json answer = nlohmann::json::parse(outcome.out)["answers"][0];

  const auto exposed = [&](const std::string& bandwidth) {
    const Outcome forecast =
        folder.run(kJob + " --strategy sync --format json --set network.bandwidth=" + bandwidth);
    const nlohmann::json run = nlohmann::json::parse(forecast.out)["runs"][0];
    return run["exposed_communication_s"].get<double>() / run["epoch_s"].get<double>();
  };
  CHECK(exposed(answer["found"]["text"]) < 0.01);
  CHECK(exposed(answer["before"]["text"]) >= 0.01);
  CHECK(answer["found"]["value"].get<double>() / answer["before"]["value"].get<double>() < 1.011);
}

TEST_CASE("find: the bandwidth follows from the closed form of the ring", "[cli]") {
  const Folder folder;
  // Only the network takes time: reductions and the links out of nodes are fast.
  const std::string free =
      "--strategy sync --deterministic --set device.test-gpu.reduce=1000TBps "
      "--set node.bandwidth=1000TBps --set node.latency=0s --set network.latency=0s --format json";
  const Outcome outcome = folder.run(asked("network.bandwidth", "exposed < 1%", free));
  REQUIRE(outcome.status == 0);
  const nlohmann::json found = nlohmann::json::parse(outcome.out)["answers"][0]["found"];
  const nlohmann::json& run = found["run"];

  // Of two workers each sends half of the gradients twice: S bytes in S / B seconds.
  const double iterations = run["iterations_per_epoch"];
  const double gradients = run["inter_node_bytes"].get<double>() / 2 / iterations;
  const double batch_s = run["compute_s"].get<double>() / iterations;
  const double exact = gradients / (batch_s * 0.01 / 0.99);
  CHECK(found["value"].get<double>() >= exact * (1 - 1e-6));
  CHECK(found["value"].get<double>() < exact * 1.011);
}

TEST_CASE("find: a table has the value, its uncertainty, and the command that shows it", "[cli]") {
  const Folder folder;
  std::vector<std::string> arguments = words(
      "find network.bandwidth --platform pair.json --network resnet20 --dataset cifar10 --epochs 2 "
      "--batch 32 --trace gpu.json,cpu.json --repetitions 5 --strategy sync,local-sgd --where");
  arguments.emplace_back("blocked < 60%");
  arguments.emplace_back("--where");
  arguments.emplace_back("exposed < 0.1%");
  const Outcome outcome = folder.run(arguments);

  CHECK(outcome.status == 0);
  CHECK(lines(outcome.out).front() ==
        "The smallest network.bandwidth with blocked < 60% and exposed < 0.1%");
  CHECK(outcome.out.find("5 - 95 %") != std::string::npos);
  CHECK(outcome.out.find("\n  epochcast simulate --platform=pair.json") != std::string::npos);
  const std::size_t command = outcome.out.find("  epochcast simulate") + 12;
  const std::string again = outcome.out.substr(command, outcome.out.find('\n', command) - command);
  CHECK(folder.run(again).status == 0);
}

TEST_CASE("find: strategies that average at most once an epoch are below the others, with a note",
          "[cli]") {
  const Outcome outcome = Folder().run(
      asked("network.bandwidth", "exposed < 1%", "--strategy node-based,sync --deterministic"));
  REQUIRE(outcome.status == 0);
  const std::vector<std::string> rows = lines(outcome.out);
  REQUIRE(rows.size() > 8);

  CHECK(rows[4].starts_with("sync "));
  CHECK(rows[5].starts_with("sync, overlap "));
  CHECK(rows[7].starts_with("Not ranked: all workers average at most once an epoch"));
  CHECK(rows[8].starts_with("node-based, K' 195 = an epoch "));
  CHECK_THAT(outcome.out, Catch::Contains("  node-based: not ranked: averages all workers once"));
  CHECK_THAT(outcome.out,
             Catch::Contains("  node-based: the answer holds for K' = an epoch, the default of "
                             "--averaging-period, alone\n"));
  CHECK_THAT(outcome.out, Catch::Contains("\n  How accurate the model gets is not compared here"));
}

TEST_CASE("find: an unsatisfiable condition gives the closest value and its limits", "[cli]") {
  const Outcome outcome = Folder().run(asked("network.bandwidth", "epoch < 1s", "--strategy sync"));

  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("no value meets the conditions; closest: ") != std::string::npos);
  CHECK(outcome.out.find("an epoch there computes ") != std::string::npos);
  CHECK(outcome.out.find("Each answer again") == std::string::npos);  // there is none

  const Outcome csv =
      Folder().run(asked("network.bandwidth", "epoch < 1s", "--strategy sync --format csv"));
  REQUIRE(lines(csv.out).size() > 1);
  CHECK(lines(csv.out)[0].ends_with(",command,reason"));
  CHECK_THAT(lines(csv.out)[1], Catch::Contains("no value meets the conditions; closest: "));
}

TEST_CASE("find: remarks name the row concerned, each quantity once", "[cli]") {
  std::vector<std::string> arguments = asked("network.bandwidth", "epoch < 1s", "--strategy sync");
  arguments.insert(arguments.end(), {"--where", "epoch > 2s"});
  const Outcome outcome = Folder().run(arguments);

  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("\n  sync: an epoch there computes "));
  CHECK_THAT(outcome.out, Catch::Contains("\n  sync, overlap: an epoch there computes "));
  for (const std::string& line : lines(outcome.out)) {
    CAPTURE(line);
    const std::size_t first = line.find(": epoch ");
    CHECK((first == std::string::npos || line.find(", epoch ", first) == std::string::npos));
  }
}

TEST_CASE("find: the batches named with the answers are those of all answers", "[cli]") {
  const Folder folder;
  const std::string flags = "--strategy sync --overlap bucket --deterministic --format ";
  const auto output_as = [&](const std::string& format) {
    return folder
        .run(asked(
            "network.bandwidth,batch", "exposed < 50%", flags + format + " --between batch=8..16"))
        .out;
  };

  CHECK_THAT(output_as("table"), Catch::Contains("  Answers hold for batch 8 to 16 per worker, "));
  CHECK(nlohmann::json::parse(output_as("json"))["holds_for"].get<std::string>().starts_with(
      "batch 8 to 16 per worker"));
}

TEST_CASE("find: values without a forecast are impossible, with the reason", "[cli]") {
  const Folder folder;
  std::vector<std::string> arguments = words(
      "find network.bandwidth --platform server-2cpu-8gpu --network resnet20 --dataset cifar10 "
      "--strategy sync --where");
  arguments.emplace_back("exposed < 1%");
  const Outcome outcome = folder.run(arguments);

  CHECK(outcome.status == 1);
  const std::vector<std::string> rows = lines(outcome.out);
  REQUIRE(rows.size() > 4);
  CHECK_THAT(rows[4], Catch::Contains("impossible"));
  CHECK_THAT(outcome.out, Catch::Contains("unknown: platform server-2cpu-8gpu ("));
  CHECK_THAT(outcome.out, Catch::Contains("unknown figure \"network.bandwidth\""));
  CHECK_THAT(outcome.out, !Catch::Contains("closest") && !Catch::Contains("Each answer again"));
}

TEST_CASE("find: two names give a frontier, in every format", "[cli]") {
  const Folder folder;
  const std::string flags = "--strategy sync --set node.count=4";
  const Outcome table = folder.run(asked("network.bandwidth,nodes", "exposed < 1%", flags));
  CHECK(table.status == 0);
  const Outcome csv =
      folder.run(asked("network.bandwidth,nodes", "exposed < 1%", flags + " --format csv"));
  REQUIRE(lines(csv.out).size() == 1 + 2 * 4);  // 1, 2, 3 and 4 nodes, without and with overlap
  CHECK(lines(csv.out)[1].starts_with("nodes,1,sync,none,network.bandwidth,100Mbps,"));
  CHECK(lines(csv.out)[2].starts_with("nodes,1,sync,bucket,network.bandwidth,100Mbps,"));
}

TEST_CASE("find: the most nodes, and strong scaling", "[cli]") {
  const Folder folder;
  const auto nodes = [&](const std::string& flags) {
    const Outcome outcome = folder.run(
        asked("nodes",
              "efficiency > 99%",
              "--largest --strategy sync --set node.count=20 --set network.bandwidth=200Mbps "
              "--format json " +
                  flags));
    REQUIRE(outcome.status == 0);
    return std::stoi(
        nlohmann::json::parse(outcome.out)["answers"][0]["found"]["text"].get<std::string>());
  };

  CHECK(nodes("") >= 1);
  CHECK(nodes("--scaling strong") <= nodes("--scaling weak"));
}

TEST_CASE("find: errors state what is expected", "[cli]") {
  const Folder folder;

  CHECK(folder.run(words("find " + kFlags)).err ==
        "epochcast: find: got 0 names; expected one or two settings or figures of the platform, "
        "such as network.bandwidth\n");
  CHECK(folder.run(asked("nodse", "epoch < 1s", "")).err ==
        "epochcast: find: unknown setting \"nodse\"; did you mean \"nodes\"?\n");
  CHECK(folder.run(asked("nodes", "epoch", "")).status == 2);
  CHECK(folder.run(asked("nodes", "epoch < 1s", "--between nodes=1")).err ==
        "epochcast: --between: got \"nodes=1\"; expected a name and its least and largest value, "
        "such as nodes=2..16\n");
}

}  // namespace
}  // namespace epochcast::tests
