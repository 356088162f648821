// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

/// Runs a job on bad.json with this content; checks the exit status, returns the error.
std::string error_of(const std::string& content) {
  const Folder folder;
  folder.write("bad.json", content);
  const Outcome outcome = folder.run(
      "simulate --platform bad.json --network resnet20 --dataset cifar10 --batch-seconds gpu=1s");

  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  return outcome.err;
}

TEST_CASE("a file that is not JSON is reported by line and column", "[cli]") {
  CHECK(error_of("{\n  \"schema\": \"epochcast.platform/1\",\n  \"name\": \"x\",\n}") ==
        "epochcast: bad.json:4:1: not valid JSON at this place\n");
  CHECK(error_of("{\"schema\": ") ==
        "epochcast: bad.json:1:12: not valid JSON (the file ends too early)\n");
  CHECK(error_of("") == "epochcast: bad.json:1:1: not valid JSON (the file ends too early)\n");
  CHECK(error_of("{\"schema\": \"\xff\"}") ==
        "epochcast: bad.json:1:13: not valid JSON at this place\n");
}

TEST_CASE("a deeply nested file is refused without a crash", "[cli]") {
  const std::string deep(100000, '[');
  CHECK(error_of(deep + std::string(100000, ']')) ==
        "epochcast: bad.json: nested deeper than any Epochcast file\n");
}

TEST_CASE("a file of another kind is refused by its schema", "[cli]") {
  CHECK(error_of("[]") ==
        "epochcast: bad.json: /: got a list of 0; expected an object with \"schema\": "
        "\"epochcast.platform/1\"\n");
  CHECK(error_of(R"({"schema": "epochcast.trace/1"})") ==
        "epochcast: bad.json: /schema: got \"epochcast.trace/1\"; expected "
        "\"epochcast.platform/1\"\n");
}

TEST_CASE("a bandwidth needs a unit and a value above zero", "[cli]") {
  CHECK(error_of(pair_with("1GBps\", \"latency\": \"2us", "1\", \"latency\": \"2us")) ==
        "epochcast: bad.json: /network/bandwidth: got \"1\"; expected a bandwidth with its unit, "
        "such as \"12.5GBps\"\n");
  CHECK(error_of(pair_with("\"1GBps\"", "\"0GBps\"")) ==
        "epochcast: bad.json: /network/bandwidth: got \"0GBps\"; expected a value above zero\n");
}

TEST_CASE("all problems of a file are reported at once", "[cli]") {
  std::string platform = pair_with("\"1GBps\"", "12.5");
  platform.replace(platform.find("\"count\""), 7, "\"counts\"");
  platform.replace(platform.find("\"64GiB\""), 7, "\"-64GiB\"");
  platform.replace(platform.find("star"), 4, "stat");

  CHECK(error_of(platform) ==
        "epochcast: bad.json: /nodes/0/count: missing\n"
        "epochcast: bad.json: /nodes/0/devices/1/memory: got \"-64GiB\"; expected a value above "
        "zero\n"
        "epochcast: bad.json: /nodes/0/counts: unknown key \"counts\"; did you mean \"count\"?\n"
        "epochcast: bad.json: /network/topology: unknown topology \"stat\"; did you mean "
        "\"star\"?\n"
        "epochcast: bad.json: /network/bandwidth: got 12.5; expected a bandwidth with its unit, "
        "such as \"12.5GBps\"\n");
}

TEST_CASE("implausible figures are bad input, not a strange forecast", "[cli]") {
  for (const std::string latency : {"1e300h", "1e308h", "1e999s", "-1us", "nan"}) {
    CAPTURE(latency);
    const std::string error = error_of(pair_with("\"2us\"", "\"" + latency + "\""));
    CHECK(error.find("epochcast: bad.json: /network/latency: got \"" + latency + "\"; expected ") ==
          0);
  }
}

TEST_CASE("a missing file or a folder is bad input", "[cli]") {
  const Folder folder;
  const std::string rest = " --network resnet20 --dataset cifar10";

  CHECK(folder.run("simulate --platform no.json" + rest).err ==
        "epochcast: --platform: no.json: no such file\n");
  CHECK(folder.run("simulate --platform ./" + rest).err ==
        "epochcast: ./: is a folder; expected a file\n");
  CHECK(folder.run("simulate --platform ./" + rest).status == 2);
}

TEST_CASE("a cyclic link, and too long a name, are bad input", "[cli]") {
  const Folder folder;
  std::filesystem::create_symlink("loop.json", folder.path() / "loop.json");
  const std::string rest = " --network resnet20 --dataset cifar10";

  const Outcome loop = folder.run("simulate --platform loop.json" + rest);
  CHECK(loop.status == 2);
  CHECK(loop.err == "epochcast: --platform: loop.json: Too many levels of symbolic links\n");
  const Outcome compared = folder.run("compare loop.json pair.json" + rest);
  CHECK(compared.status == 2);
  CHECK(compared.err == "epochcast: A: loop.json: Too many levels of symbolic links\n");
  const std::string longest(300, 'a');
  CHECK(folder.run("simulate --platform ./" + longest + rest).err ==
        "epochcast: --platform: ./" + longest + ": File name too long\n");
}

TEST_CASE("all mistakes of an experiment file are reported at once, by path", "[cli]") {
  const Folder folder;
  folder.write("e.json",
               R"({"schema": "epochcast.experiment/1", "batch": 0, "btch": 1, "seed": null,
                   "overlap": ["none", "bucket"]})");
  const Outcome outcome = folder.run("simulate --experiment e.json");

  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "epochcast: e.json: /batch: got \"0\"; expected a whole number of at least 1\n"
        "epochcast: e.json: /btch: unknown setting \"btch\"; did you mean \"batch\"?\n"
        "epochcast: e.json: /overlap: got \"none,bucket\"; expected one of none, bucket, dear\n"
        "epochcast: e.json: /seed: got null; expected a text, a number, true, false, or a list of "
        "these\n");
}

}  // namespace
}  // namespace epochcast::tests
