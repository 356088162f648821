// SPDX-License-Identifier: Apache-2.0
// A platform's figures as settings, --gradient-bytes and --scaling, as users give them.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kSync = kJob + " --strategy sync";

nlohmann::json runs_told(const Outcome& outcome) {
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)["runs"];
}

TEST_CASE("a figure that is set gives the same forecast as a file with it", "[cli]") {
  const Folder folder;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {pair_with("\"1GBps\"", "\"5GBps\""), "network.bandwidth=5GBps"},
      {pair_with("\"2us\"", "\"90us\""), "network.latency=90us"},
      {pair_with("\"10GBps\", \"latency\"", "\"500MBps\", \"latency\""), "node.bandwidth=500MBps"},
      {pair_with("\"count\": 2", "\"count\": 5"), "node.count=5"},
      {pair_with("\"test-gpu\",", "\"test-gpu\", \"count\": 4,"), "node.devices=4"}};
  for (const auto& [file, figure] : cases) {
    CAPTURE(figure);
    folder.write("other.json", file);
    const nlohmann::json set = runs_told(folder.run(kSync + " --format json --set " + figure))[0];
    std::string other = kSync + " --format json";
    const nlohmann::json copied =
        runs_told(folder.run(other.replace(other.find("pair"), 4, "other")))[0];

    CHECK(set["epoch_s"] == copied["epoch_s"]);
    CHECK(set["inter_node_bytes"] == copied["inter_node_bytes"]);
    CHECK(set["epoch_s"] != runs_told(folder.run(kSync + " --format json"))[0]["epoch_s"]);
  }
}

TEST_CASE("a device twice as fast computes for half as long", "[cli]") {
  const Folder folder;
  const auto compute = [&](const std::string& job) {
    return runs_told(
               folder.run(job + " --deterministic --strategy sync --format json"))[0]["compute_s"]
        .get<double>();
  };
  for (const std::string& job : {kJob, kNoisyJob}) {
    const double usual = compute(job);
    CHECK(compute(job + " --set device.test-gpu.speed=2") == Approx(usual / 2).epsilon(1e-9));
    CHECK(compute(job + " --set device.gpu.speed=0.5") == Approx(usual * 2).epsilon(1e-9));
  }
}

TEST_CASE("figures are axes of sweeps and keys of experiment files, and results record them",
          "[cli]") {
  const Folder folder;
  const nlohmann::json swept = runs_told(folder.run(
      kSync + " --sweep network.bandwidth=1Gbps,10Gbps --sweep node.devices=1,2 --format json"));
  REQUIRE(swept.size() == 4);
  CHECK(swept[1]["config"]["network.bandwidth"] == "125MBps");
  CHECK(swept[1]["config"]["node.devices"] == "2");
  folder.write("experiment.json",
               R"({"schema": "epochcast.experiment/1", "network.bandwidth": "1Gbps",
                   "node.devices": 2})");
  const nlohmann::json read =
      runs_told(folder.run(kSync + " --experiment experiment.json --format json"));
  CHECK(read[0] == swept[1]);
}

TEST_CASE("impossible points of a figure's sweep are listed below the others", "[cli]") {
  const Outcome outcome = Folder().run(
      kSync + " --sweep node.count=1,2 --sweep nodes=1,2 --sweep batch=8,16 --format csv");

  CHECK(outcome.status == 0);
  CHECK(lines(outcome.out).size() == 1 + 8);
  std::size_t impossible = 0;
  for (const std::string& line : lines(outcome.out)) {
    if (line.find("--nodes: got 2; platform pair") != std::string::npos) ++impossible;
  }
  CHECK(impossible == 2);  // of one node, with each batch
}

TEST_CASE("unknown figures are refused with the closest one", "[cli]") {
  const Folder folder;

  CHECK(folder.run(kSync + " --set network.bandwith=1Gbps").err ==
        "epochcast: --set network.bandwith: unknown figure of a platform \"network.bandwith\"; did "
        "you mean \"network.bandwidth\"?\n");
  CHECK(
      folder.run(kSync + " --set network.bandwidth=25")
          .err.starts_with("epochcast: --set network.bandwidth: got \"25\"; expected a bandwidth"));
  const Outcome unknown = folder.run(kSync + " --set device.v100.speed=2");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("platform pair (pair.json): unknown figure \"device.v100.speed\"") !=
        std::string::npos);
}

TEST_CASE("figures are refused by commands in which they do not count", "[cli]") {
  const Folder folder;
  const std::string job = " --network resnet20 --dataset cifar10 --strategy sync --set ";

  CHECK(folder
            .run("emulate --platform pair.json --batch-seconds gpu=1ms" + job +
                 "network.bandwidth=1Gbps")
            .err == "epochcast: --set network.bandwidth: counts in simulate and rehearse only\n");
  CHECK(folder.run("train --data procedural" + job + "device.gpu.speed=2").err ==
        "epochcast: --set device.gpu.speed: counts in simulate and emulate and rehearse only\n");
  CHECK(folder.run("train --data procedural" + job + "gradient-bytes=2").err ==
        "epochcast: --set gradient-bytes: counts in simulate and emulate and rehearse only\n");
}

TEST_CASE("gradients of two bytes halve the bytes, but not those of parameters", "[cli]") {
  const Folder folder;
  // Many epochs, as parameters are broadcast once before the first.
  const auto bytes = [&](const std::string& job) {
    return runs_told(folder.run(job + " --format json"))[0]["inter_node_bytes"].get<double>();
  };
  const std::string local = kJob + " --strategy local-sgd";

  CHECK(bytes(kSync + " --gradient-bytes 2") == Approx(bytes(kSync) / 2).epsilon(1e-6));
  CHECK(bytes(local + " --gradient-bytes 2") == bytes(local));
  CHECK(folder.run(local + " --gradient-bytes 2")
            .out.find("exchanges parameters, of 4 bytes: --gradient-bytes changes nothing") !=
        std::string::npos);
}

TEST_CASE("with buckets, gradients of two bytes take less time, as with PyTorch's hook", "[cli]") {
  const Folder folder;
  const auto epoch_s = [&](const std::string& flags) {
    return runs_told(
               folder.run("simulate --platform dgx-a100 --nodes 4 --network resnet50 "
                          "--dataset imagenet --strategy sync --overlap bucket "
                          "--deterministic --format json" +
                          flags))[0]["epoch_s"]
        .get<double>();
  };

  CHECK(epoch_s(" --gradient-bytes 2") < epoch_s(""));
}

TEST_CASE("gradients have four, two or one bytes", "[cli]") {
  const Folder folder;

  for (const char* bytes : {"3", "8", "0", "2.0"}) {
    CHECK(folder.run(kSync + " --gradient-bytes " + bytes).err ==
          std::string("epochcast: --gradient-bytes: got \"") + bytes +
              "\"; expected 4 (float32), 2 (float16 or bfloat16) or 1 (float8)\n");
  }
  CHECK(folder.run(kSync + " --gradient-bytes 1").status == 0);
}

TEST_CASE("a note states that no gradients are exchanged, so their bytes have no effect", "[cli]") {
  const Folder folder;
  const auto is_noted = [&](const std::string& flags) {
    const Outcome outcome = folder.run(kJob + " --strategy node-based --gradient-bytes 2 " + flags);
    REQUIRE(outcome.status == 0);
    return outcome.out.find("--gradient-bytes changes nothing") != std::string::npos;
  };

  CHECK(is_noted("--workers gpu"));  // one in each node
  CHECK_FALSE(is_noted("--workers all"));
}

TEST_CASE("a note lists figures of devices that take no part", "[cli]") {
  const Folder folder;
  const auto is_noted = [&](const std::string& figure, const std::string& flags) {
    const Outcome outcome = folder.run(kSync + " --set " + figure + "=2 " + flags);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out.find(figure + " changes nothing: no such device takes part") !=
           std::string::npos;
  };

  CHECK(is_noted("device.cpu.speed", "--workers gpu"));
  CHECK(is_noted("device.test-cpu.speed", "--workers gpu"));
  CHECK_FALSE(is_noted("device.cpu.count", "--workers gpu"));
  CHECK_FALSE(is_noted("device.test-gpu.speed", "--workers gpu"));
  CHECK_FALSE(is_noted("device.cpu.speed", "--workers all"));
}

TEST_CASE("scaling has columns in every format", "[cli]") {
  const Folder folder;
  const std::string job = kSync + " --set node.count=4 --sweep nodes=1,2,4 --scaling ";

  const Outcome table = folder.run(job + "strong");
  CHECK(table.out.find("batch") != std::string::npos);
  CHECK(table.out.find("speed-up  efficiency") != std::string::npos);
  CHECK(table.out.find("1.00x     100.0 %") != std::string::npos);
  CHECK(table.out.find("\nThe knee, beyond which") != std::string::npos);
  const nlohmann::json runs = runs_told(folder.run(job + "strong --format json"));
  REQUIRE(runs.size() == 3);
  for (const nlohmann::json& run : runs) {
    const double workers = run["workers"];
    CHECK(run["batch"].get<double>() * workers == 128);
    CHECK(run["speed_up"].get<double>() ==
          Approx(runs[0]["epoch_s"].get<double>() / run["epoch_s"].get<double>()));
    CHECK(run["efficiency"].get<double>() == Approx(run["speed_up"].get<double>() / workers));
  }
  CHECK(runs_told(folder.run(job + "weak --format json"))[2]["batch"] == 128);
  const Outcome csv = folder.run(job + "weak --format csv");
  CHECK(lines(csv.out).front().find(",speed_up,efficiency,knee,") != std::string::npos);
}

}  // namespace
}  // namespace epochcast::tests
