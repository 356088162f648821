// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/process/child.hpp"
#include "base/process/pipe.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kCannotWrite = "epochcast: the result could not be written to stdout\n";

TEST_CASE("a full disk under stdout is an error, exit 1", "[cli]") {
  const Folder folder;
  for (const std::string format : {"table", "json", "csv"}) {
    const Outcome outcome =
        folder.run(kJob + " --strategy sync --format " + format, {.out_file = "/dev/full"});

    CHECK(outcome.status == 1);
    CHECK(outcome.err == kCannotWrite);
  }
  for (const std::string command : {"list networks", "--help", "--version", "simulate --help"}) {
    CHECK(folder.run(command, {.out_file = "/dev/full"}).status == 1);
  }
}

TEST_CASE("a file beyond the limit of file sizes is reported", "[cli]") {
  const Folder folder;
  const Outcome outcome = folder.run(
      {"-c",
       "ulimit -f 1; exec " EPOCHCAST_PROGRAM " " + kJob + " --strategy sync --timeline big.json"},
      {.program = "sh"});

  CHECK(outcome.status == 1);
  CHECK(outcome.err ==
        "epochcast: big.json: cannot be written: File too large; raise the limit (ulimit -f), or "
        "choose another file system\n");
  CHECK_FALSE(folder.has("big.json"));
}

TEST_CASE("a closed reader of stdout is an error, exit 1", "[cli]") {
  const Outcome outcome = Folder().run(kJob, {.is_out_closed = true});

  CHECK(outcome.status == 1);
  CHECK(outcome.err == kCannotWrite);
}

/// The first process that `program` has started, after it exists.
pid_t child_of(Child& program) {
  const std::string id = std::to_string(program.pid());
  pid_t child = 0;
  while (!(std::ifstream("/proc/" + id + "/task/" + id + "/children") >> child)) {
    REQUIRE_FALSE(program.has_ended());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return child;
}

TEST_CASE("a simulating process that is killed is reported, exit 1", "[cli]") {
  const Folder folder;
  const FileDescriptor out = unnamed_file();
  const FileDescriptor err = unnamed_file();
  // A simulation of hours.
  Child program = Child::start(
      folder.command(words("simulate --platform pair.json --network resnet20 --dataset cifar10 "
                           "--epochs 1000000 --batch 1 --batch-seconds gpu=1s --strategy sync "
                           "--exact")),
      {.out = out.number(), .err = err.number()});

  kill(child_of(program), SIGKILL);

  CHECK(program.wait().in_shell() == 1);
  CHECK(text_of(out).empty());
  CHECK(text_of(err).find("epochcast: the simulating process was killed by signal 9") !=
        std::string::npos);
}

TEST_CASE("stdout has the result alone, stderr nothing", "[cli]") {
  const Outcome outcome = Folder().run(kJob + " --format csv --strategy sync,hetgrad,byteps");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(lines(outcome.out).size() == 4);
}

TEST_CASE("the same command prints the same bytes", "[cli]") {
  const Folder folder;
  for (const std::string& job : {kJob, kNoisyJob}) {
    for (const std::string format : {" --format table", " --format json", " --format csv"}) {
      CHECK(folder.run(job + format).out == folder.run(job + format).out);
    }
  }
}

TEST_CASE("memory does not grow with repetitions", "[cli]") {
  const Folder folder;
  const std::string job = kNoisyJob + " --strategy sync --set repetitions=";
  const Outcome few = folder.run(job + "2");
  const Outcome many = folder.run(job + "200");

  CHECK(many.status == 0);
  // If its workers' stacks were not freed, every repetition would take 0.3 MB more.
  CHECK(many.peak_bytes < 1.3 * few.peak_bytes);
}

/// The data of a page's scripts.
nlohmann::json data_of(const std::string& page, const std::string& view) {
  const std::string begin = "data-view=\"" + view + "\">";
  const std::size_t at = page.rfind(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST_CASE("strategies of a sweep have their iterations on the page, too", "[cli]") {
  const Folder folder;

  const Outcome outcome =
      folder.run(kJob + " --sweep strategy=sync,local-sgd --local-steps 4 --html page.html");

  CHECK(outcome.status == 0);
  const nlohmann::json timelines = data_of(folder.read("page.html"), "timelines");
  REQUIRE(timelines.size() == 2);
  CHECK(timelines[1]["name"] == "local-sgd, H 4");
}

TEST_CASE("a page holds the forecasts, and a few iterations of each strategy", "[cli]") {
  const Folder folder;

  const Outcome outcome =
      folder.run(kJob + " --strategy sync,local-sgd --local-steps 4 --html page.html");

  CHECK(outcome.status == 0);
  const std::string page = folder.read("page.html");
  const nlohmann::json forecasts = data_of(page, "forecasts");
  REQUIRE(forecasts["runs"].size() == 2);
  CHECK(forecasts["runs"][1]["name"] == "local-sgd, H 4");
  CHECK(forecasts["runs"][0]["epoch_s"] > 0);
  const nlohmann::json timelines = data_of(page, "timelines");
  REQUIRE(timelines.size() == 2);
  CHECK(timelines[0]["workers"].size() == 2);
  CHECK(timelines[0]["events"].size() > 8);
  CHECK(page.find("--html page.html</pre>") != std::string::npos);
}

TEST_CASE("a page does not overwrite its inputs", "[cli]") {
  const Folder folder;
  const std::string before = folder.read("pair.json");

  const Outcome outcome = folder.run(kJob + " --strategy sync --html pair.json");

  CHECK(outcome.status == 2);
  CHECK(folder.read("pair.json") == before);
}

TEST_CASE("a timeline is a Chrome trace with events of every worker", "[cli]") {
  const Folder folder;
  const Outcome outcome = folder.run(kJob + " --strategy sync --timeline sync.json");

  REQUIRE(outcome.status == 0);
  const auto timeline = nlohmann::json::parse(folder.read("sync.json"));
  std::set<std::string> workers;
  for (const auto& event : timeline.at("traceEvents")) {
    if (event.at("ph") == "X") workers.insert(event.at("pid").dump());
  }
  CHECK(workers.size() == 2);
}

TEST_CASE("a timeline that cannot be written is an error, without a result", "[cli]") {
  const Folder folder;
  const auto complains = [&](const std::string& file, int status, const std::string& reason) {
    const Outcome outcome = folder.run(kJob + " --strategy sync --timeline " + file);

    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "epochcast: " + file + ": cannot be written: " + reason + "\n");
  };
  complains("no/t.json", 2, "there is no folder no");
  complains(".", 2, "it is a folder; expected a file");
  complains("pair.json", 2, "it is pair.json, an input");
  complains("/dev/full", 1, "No space left on device");
}

TEST_CASE("execution traces are a file per worker and their groups, and the result has their size",
          "[cli]") {
  const Folder folder;
  const std::string job = kJob + " --strategy sync --format json";
  const Outcome outcome = folder.run(job + " --chakra traces");

  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  for (const std::string file : {"sync.0.et", "sync.1.et", "sync.groups.json"})
    CHECK(folder.has("traces/" + file));
  CHECK_FALSE(folder.has("traces/sync.2.et"));
  auto run = nlohmann::json::parse(outcome.out)["runs"][0];
  // Each of two workers, in 2 epochs of 50,000 / (2 · 128) iterations, computes in two parts and
  // reduces; besides, it takes part in one broadcast and two barriers.
  constexpr int kNodes = 2 * (2 * (50'000 / (2 * 128)) * 3 + 3);
  CHECK(run["notes"].back() == "execution traces of 2 workers: " + std::to_string(kNodes) +
                                   " nodes of 2 epochs; --epochs 1 makes fewer");
  run["notes"].erase(run["notes"].size() - 1);
  CHECK(run["notes"] == nlohmann::json::parse(folder.run(job).out)["runs"][0]["notes"]);
}

TEST_CASE("execution traces are of one strategy, in a writable folder", "[cli]") {
  const Folder folder;
  const Outcome many = folder.run(kJob + " --strategy sync,dlb --chakra traces");
  const Outcome nowhere = folder.run(kJob + " --strategy sync --chakra pair.json/traces");

  CHECK(many.status == 2);
  CHECK(many.err ==
        "epochcast: --chakra: 2 runs were asked for; expected one --strategy and no --sweep\n");
  CHECK(nowhere.status == 2);
  CHECK(nowhere.out.empty());
  CHECK(nowhere.err == "epochcast: pair.json/traces: cannot be written: Not a directory\n");
}

TEST_CASE("a file's name that is not UTF-8 is refused before the forecasts", "[cli]") {
  const Folder folder;
  folder.write("caf\xff.json", folder.read("pair.json"));
  std::vector<std::string> arguments = words(
      "simulate --network resnet20 --dataset cifar10 --batch-seconds gpu=1s --strategy sync "
      "--format json --platform");
  arguments.emplace_back("caf\xff.json");
  const Outcome outcome = folder.run(arguments);

  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(
      outcome.err ==
      "epochcast: --platform: got \"caf\\xff.json\"; expected UTF-8 without control characters\n");
}

}  // namespace
}  // namespace epochcast::tests
