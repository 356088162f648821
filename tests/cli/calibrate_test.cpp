// SPDX-License-Identifier: Apache-2.0
// `epochcast calibrate` and `epochcast validate` as their users meet them.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/costs/overlap_cost.hpp"
#include "core/formats/platform.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

/// Two nodes of one rank each: 10 us + 1 GB/s alone, 20 us + 500 MB/s when both send.
std::string message_trace() {
  nlohmann::json costs = nlohmann::json::array();
  const auto add = [&](const char* kind,
                       const char* scope,
                       std::int64_t bytes,
                       double seconds,
                       const char* what) {
    nlohmann::json cost = {
        {"kind", kind}, {"scope", scope}, {"bytes", bytes}, {"samples_s", {seconds, seconds}}};
    if (*what != '\0') cost["algorithm"] = what;
    costs.push_back(cost);
  };
  for (const std::int64_t bytes : {4, 4096, 65536, 1 << 20, 1 << 22}) {
    const auto size = static_cast<double>(bytes);
    add("ping-pong", "between", bytes, 10e-6 + size / 1e9, "");
    add("ring-step", "all", bytes, 20e-6 + size / 5e8, "");
  }
  add("all-reduce", "all", 1 << 22, 2 * (20e-6 + (1 << 21) / 5e8), "ring");
  return nlohmann::json{{"schema", "epochcast.message-trace/1"},
                        {"name", "pair-of-nodes"},
                        {"title", "Two nodes"},
                        {"source", {{"grade", "estimated"}, {"method", "made up"}}},
                        {"ranks", 2},
                        {"nodes", 2},
                        {"node_of_rank", {0, 1}},
                        {"costs", costs}}
      .dump();
}

TEST_CASE("calibrate takes several sessions of the same ranks, and no others", "[cli]") {
  const Folder folder;
  folder.write("monday.json", message_trace());
  nlohmann::json slower = nlohmann::json::parse(message_trace());
  for (auto& cost : slower["costs"]) {
    for (auto& sample : cost["samples_s"]) sample = 1.2 * sample.get<double>();
  }
  folder.write("friday.json", slower.dump());
  slower["node_of_rank"] = {0, 0};
  folder.write("elsewhere.json", slower.dump());

  const Outcome both =
      folder.run("calibrate --messages monday.json --messages friday.json --output fitted.json");

  CHECK(both.status == 0);
  const Platform platform = load_platform(folder.path() / "fitted.json");
  const MessageCosts& costs = *platform.network->messages;
  CHECK(costs.message_s(1e6) == Approx(1.1 * (20e-6 + 1e6 / 5e8)).epsilon(1e-5));
  // Messages and all-reduces alike: 1.1 / 1 - 1 and 1.1 / 1.2 - 1.
  CHECK(costs.uncertainty == Approx(std::hypot(std::log(1.1), std::log(1.1 / 1.2))).epsilon(1e-4));

  const Outcome other =
      folder.run("calibrate --messages monday.json --messages elsewhere.json --output fitted.json");
  CHECK(other.status == 2);
  CHECK(
      other.err ==
      "epochcast: elsewhere.json: its ranks lie on other nodes than those of monday.json; expected "
      "sessions of the same ranks\n");
}

TEST_CASE("calibrate writes a platform that forecasts the trace's own all-reduce", "[cli]") {
  const Folder folder;
  folder.write("messages.json", message_trace());
  const Outcome outcome =
      folder.run("calibrate --messages messages.json --output fitted.json --html fit.html");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  const std::vector<std::string> printed = lines(outcome.out);
  REQUIRE(printed.size() > 2);
  CHECK(printed.front() == "Between nodes: 500 MB/s each way");
  CHECK(printed[printed.size() - 2] == "median error 0.0 %, worst 0.0 % (of 4.19 MB): good");
  CHECK(printed.back() == "wrote fitted.json");
  const Platform platform = load_platform(folder.path() / "fitted.json");
  CHECK(platform.node_count() == 2);
  CHECK(platform.network->messages->message_s(1e6) == Approx(20e-6 + 1e6 / 5e8).epsilon(1e-5));
  CHECK(folder.read("fit.html").find("data-view=\"calibration\">{\"between\":{") !=
        std::string::npos);
}

TEST_CASE("calibrate writes the slowdowns by overlap of --batches, or the default of CPUs",
          "[cli]") {
  const Folder folder;
  folder.write("messages.json", message_trace());
  nlohmann::json trace = nlohmann::json::parse(folder.read("gpu.json"));
  trace["costs"][0]["overlap"] = {{{"batch", 32},
                                   {"all_reduce", "ring"},
                                   {"bytes", 1000},
                                   {"batch_alone_seconds", {1, 1}},
                                   {"batch_seconds", {1.25, 1.75}},
                                   {"exchange_alone_seconds", {2, 2}},
                                   {"exchange_seconds", {4, 4}}}};
  folder.write("beside.json", trace.dump());
  const auto overlap = [&](const std::string& more) {
    const Outcome outcome =
        folder.run("calibrate --messages messages.json --output fitted.json" + more);
    CHECK(outcome.status == 0);
    return load_platform(folder.path() / "fitted.json").nodes[0].devices[0].overlap;
  };

  const auto measured =
      overlap(" --batches beside.json --device-name " + trace["device"].get<std::string>());
  REQUIRE(measured);
  CHECK(measured->batch_slowdown == 1.5);
  CHECK(measured->exchange_slowdown == 2);
  const auto by_default = overlap(" --batches beside.json --device-name another");
  REQUIRE(by_default);
  CHECK(by_default->batch_slowdown == overlap_default("cpu")->cost.batch_slowdown);
  CHECK(by_default->exchange_slowdown == overlap_default("cpu")->cost.exchange_slowdown);
  CHECK(by_default->source.grade == Grade::estimated);
}

TEST_CASE("calibrate reports missing data, exit 2", "[cli]") {
  const Folder folder;
  folder.write("messages.json", message_trace());
  struct Case {
    std::string arguments;
    std::string error;
  };
  for (const auto& [arguments, error] : std::vector<Case>{
           {"", "--messages: missing; `epochcast measure messages` writes such a trace"},
           {" --messages messages.json", "--output: missing; expected the platform file to write"},
           {" --batches-output trimmed.json", "--batches-output: expected one --batches, got 0"},
           {" --messages messages.json --output p.json --platform deep-est-ebs",
            "--platform: unknown platform \"deep-est-ebs\"; did you mean \"deep-est-esb\"?"}}) {
    CAPTURE(arguments);
    const Outcome outcome = folder.run("calibrate" + arguments);

    CHECK(outcome.status == 2);
    CHECK(outcome.err == "epochcast: " + error + "\n");
  }
}

TEST_CASE("calibrate leaves the warm-up out of a trace", "[cli]") {
  const Folder folder;
  nlohmann::json trace = nlohmann::json::parse(folder.read("gpu.json"));
  std::vector<double> seconds(60, 0.010);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] += 1e-5 * static_cast<double>((i + 2) % 7);
  for (std::size_t i = 0; i < 12; ++i) seconds[i] += 0.010;
  trace["costs"][0]["batches"] = {{{"batch", 32}, {"seconds", seconds}}};
  folder.write("warm.json", trace.dump());
  const Outcome outcome = folder.run("calibrate --batches warm.json --batches-output trimmed.json");

  CHECK(outcome.status == 0);
  const auto trimmed = nlohmann::json::parse(folder.read("trimmed.json"));
  CHECK(trimmed["costs"][0]["batches"][0]["seconds"].size() == 48);
}

std::string experiment(const std::string& validate) {
  return R"({"schema": "epochcast.experiment/1", "network": "resnet20", "dataset": "cifar10",
             "platform": "pair.json", "batch-seconds": "gpu=10ms",
             "validate": )" +
         validate + "}";
}

TEST_CASE("validate names the mistakes of an experiment, exit 2", "[cli]") {
  const Folder folder;
  struct Case {
    std::string validate;
    std::string error;
  };
  for (const auto& [validate, error] : std::vector<Case>{
           {R"({"command": "fly", "cluster": "here", "ranks": 2, "rows": [{"strategy": "sync"}]})",
            R"(e.json: /validate/command: got "fly"; expected "emulate" or "train")"},
           {R"({"command": "train", "cluster": "here", "ranks": 2, "rows": []})",
            "e.json: /validate/rows: got a list of 0; expected a list that is not empty"},
           {R"({"command": "train", "cluster": "here", "ranks": 2, "rows": [{"stratgy": "sync"}]})",
            "e.json: /validate/rows/0: /stratgy: unknown setting \"stratgy\"; did you mean "
            "\"strategy\"?"}}) {
    CAPTURE(validate);
    folder.write("e.json", experiment(validate));
    const Outcome outcome = folder.run("validate e.json");

    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "epochcast: " + error + "\n");
  }
  CHECK(folder.run("validate").err ==
        "epochcast: validate: expected one or more experiment files\n");
}

TEST_CASE("other commands ignore an experiment's validation settings", "[cli]") {
  const Folder folder;
  folder.write("e.json",
               experiment(R"({"command": "emulate", "cluster": "here", "ranks": 2, "rows": []})"));
  const Outcome outcome =
      folder.run("simulate --experiment e.json --strategy sync --epochs 1 --format csv");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
}

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kNodeRow = {"calibrate", "--row", "nodes=1,devices=8: 6000/s"};
const Words kRowJob =
    joined(kNodeRow, {"--platform", "dgx-a100", "--network", "resnet50", "--batch", "64"});

TEST_CASE("calibrate forecasts throughputs from throughputs", "[cli]") {
  const Folder folder;

  const Outcome outcome = folder.run(
      joined(kRowJob,
             {"--row", "nodes=1,devices=1: 800/s", "--forecast", "nodes=1,4", "--format", "json"}));

  REQUIRE(outcome.status == 0);
  const nlohmann::json forecasts = nlohmann::json::parse(outcome.out).at("forecast");
  REQUIRE(forecasts.size() == 2);
  CHECK(forecasts[0]["seconds"].get<double>() == Approx(8 * 64 / 6000.0));
  CHECK(forecasts[1]["seconds"].get<double>() > forecasts[0]["seconds"].get<double>());
  CHECK(forecasts[1]["low"].get<double>() < forecasts[1]["seconds"].get<double>());
  CHECK(forecasts[1]["high"].get<double>() > forecasts[1]["seconds"].get<double>());
}

TEST_CASE("calibrate --row warns of rows that cannot be true together", "[cli]") {
  const Folder folder;
  const auto warnings = [&](const char* row) {
    const Outcome outcome = folder.run(joined(kRowJob, {"--row", row, "--forecast", "nodes=2"}));
    CHECK(outcome.status == 0);
    return outcome.err;
  };

  CHECK(warnings("nodes=1,devices=1: 800/s").empty());
  CHECK_THAT(warnings("nodes=2,devices=8: 900/s"),
             Catch::Matchers::StartsWith(
                 "warning: row nodes=2,devices=8: 900/s; the fit of all rows has "));
  CHECK_THAT(warnings("nodes=1,devices=1: 500/s"),
             Catch::Matchers::StartsWith(
                 "warning: row nodes=1,devices=8: 6000/s, more than 8 devices make at the "
                 "rate of the row with 1 in all"));
}

TEST_CASE("calibrate --row shows the fit of its rows, and accumulation", "[cli]") {
  const Folder folder;

  const Outcome outcome = folder.run(
      joined(kRowJob,
             {"--row", "nodes=1,devices=1: 800 img/s", "--forecast", "nodes=4,accumulation=1,4"}));

  REQUIRE(outcome.status == 0);
  const std::vector<std::string> shown = lines(outcome.out);
  REQUIRE(shown.size() == 10);
  CHECK_THAT(shown[0], Catch::Matchers::StartsWith("nodes  devices  batch  accumulate "));
  CHECK(shown[4].empty());
  CHECK(shown[5] == "Measured rows, and the fit of all of them:");
  CHECK(words(shown[6]) ==
        Words{"nodes", "devices", "batch", "measured,", "samples/s", "fit", "difference"});
  CHECK(words(shown[8]) == Words{"1", "8", "64", "6000", "6000", "+0.0", "%"});
}

TEST_CASE("calibrate --forecast has the batch of the rows", "[cli]") {
  const Folder folder;
  const Words job = {"calibrate", "--platform", "dgx-a100", "--network", "resnet50"};
  const auto forecast = [&](const Words& more) {
    const Outcome outcome = folder.run(
        joined(joined(job, {"--row", "nodes=1,batch=96: 6000/s", "--forecast", "nodes=4"}),
               joined({"--format", "json"}, more)));
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out).at("forecast").at(0);
  };

  const nlohmann::json row = forecast({});
  CHECK(row.at("nodes") == 4);
  CHECK(row.at("devices") == 32);
  CHECK(row.at("batch") == 96);
  CHECK(row.at("accumulation") == 1);
  CHECK(forecast({"--batch", "64"}).at("batch") == 64);
  CHECK(forecast({"--overlap", "none", "--gradient-bytes", "2"}).at("seconds") <
        forecast({"--overlap", "none"}).at("seconds"));
}

TEST_CASE("calibrate --row counts the fastest devices of a node", "[cli]") {
  const Outcome outcome = Folder().run({"calibrate",
                                        "--platform",
                                        "server-2cpu-8gpu",
                                        "--network",
                                        "resnet50",
                                        "--row",
                                        "nodes=1: 3000/s",
                                        "--forecast",
                                        "nodes=1,devices=4"});

  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.err,
             Catch::Matchers::StartsWith("note: devices of rows are rtx4090; epyc-7543 of "
                                         "server-2cpu-8gpu are left out\n"));
  CHECK(words(lines(outcome.out).back())[1] == "8");
}

TEST_CASE("calibrate --row reports what is missing, exit 2", "[cli]") {
  const Folder folder;
  const auto error = [&](const Words& words) {
    const Outcome outcome = folder.run(words);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  const Words asked = joined(kRowJob, {"--forecast", "nodes=2"});

  CHECK(error(joined(kNodeRow, {"--forecast", "nodes=2"})) ==
        "epochcast: --network: missing; --row needs --network and --platform, or --rows FILE\n");
  CHECK(error(kRowJob) ==
        "epochcast: --forecast: missing; expected configurations such as \"nodes=2,4,8\"\n");
  CHECK(error(joined(asked, {"--format", "csv"})) ==
        "epochcast: --format: got \"csv\"; expected table or json\n");
  CHECK(error(joined(asked, {"--overlap", "buckets"})) ==
        "epochcast: --overlap: unknown overlap \"buckets\"; did you mean \"bucket\"?\n");
  CHECK(error(joined(asked, {"--row", "nodes=2,devices=9: 3/s"})) ==
        "epochcast: --row: got \"nodes=2,devices=9: 3/s\"; expected at most the 8 devices of a "
        "node\n");
  CHECK(error(joined(asked, {"--row", "nodes=1,devices=8: 3000/s"})) ==
        "epochcast: row nodes=1,devices=8,batch=64: 6000/s and 3000/s, which are more than 10 % "
        "apart; expected the one to forecast from\n");
  CHECK_THAT(error(joined(asked, {"--row", "nodes=1,devices=1: 99999/s"})),
             Catch::Matchers::StartsWith("epochcast: --row: got \"nodes=1,devices=1: 99999/s\", "
                                         "more than the device's peak allows ("));
  CHECK(error(joined(asked, {"--output", "fitted.json"})) ==
        "epochcast: --output: does not go with --row or --rows\n");
  CHECK(error({"calibrate", "--rows", "rows.json", "--network", "resnet50"}) ==
        "epochcast: --network: is stated by the file of --rows\n");
  CHECK(error({"calibrate", "--forecast", "nodes=2"}) ==
        "epochcast: --forecast: goes with --row or --rows\n");
}

}  // namespace
}  // namespace epochcast::tests
