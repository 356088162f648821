// SPDX-License-Identifier: Apache-2.0
// Names and texts that would do something to a terminal, a script or a table.
#include "base/text/plain_text.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kClear = "\\u001b[2J";  // in JSON

void check_refused(const Outcome& outcome, const std::string& where) {
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("epochcast: " + where));
  for (const std::string& line : lines(outcome.err)) CHECK(is_plain_text(line));
}

TEST_CASE("a platform's names and texts are checked before anything is forecast", "[cli]") {
  const Folder folder;
  folder.write("pair.json", pair_with("\"pair\"", "\"pa\\nir\""));
  check_refused(folder.run(kJob), "pair.json: /name: got \"pa\\nir\"; expected a name: ");
  folder.write("pair.json", pair_with("Two nodes", kClear));
  check_refused(folder.run(kJob), "pair.json: /title: got \"\\u001b[2J for tests\"; expected ");
  folder.write("pair.json", pair_with("test-gpu", "test\\u009b2J"));
  check_refused(folder.run(kJob), "pair.json: /nodes/0/devices/0/model: got ");
  folder.write("pair.json", pair_with("\"node\"", "\"\\u202enode\""));
  check_refused(folder.run(kJob), "pair.json: /nodes/0/name: got ");
}

TEST_CASE("options with control characters are refused, all of them", "[cli]") {
  const Folder folder;
  for (const std::string option : {"--platform",
                                   "--strategy",
                                   "--trace",
                                   "--workers",
                                   "--timeline",
                                   "--sweep",
                                   "--set",
                                   "--experiment",
                                   "--format",
                                   "--batch"}) {
    CAPTURE(option);
    std::vector<std::string> arguments = {"simulate", option, "a\x1b[2J"};
    check_refused(folder.run(arguments), option + ": got \"a\\x1b[2J\"; expected UTF-8 without");
  }
  check_refused(folder.run(std::vector<std::string>{"\x1b[2J"}), "unknown command \"\\x1b[2J\"");
  check_refused(folder.run(std::vector<std::string>{"simulate", "--\x1b[2J"}), "unknown option");
  check_refused(folder.run(std::vector<std::string>{"report", "\xff"}), "file: got \"\\xff\"");
}

TEST_CASE("a name of the catalogue is escaped on the terminal", "[cli]") {
  const Folder folder;
  folder.write("platform\x1b[2J.json", pair_with("\"pair\"", "\"p\""));

  const Outcome outcome = folder.run("simulate --platform pai --network resnet20");

  CHECK(outcome.status == 2);
  for (const std::string& line : lines(outcome.err)) CHECK(is_plain_text(line));
}

TEST_CASE("an XML platform's devices have names with the same rules as any platform's", "[cli]") {
  const Folder folder;
  folder.write("p.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="h" speed="1Gf"><prop id="model" value="a&#x9b;2J"/></host>
</zone></platform>)");

  const Outcome outcome = folder.run(
      "simulate --platform p.xml --network resnet20 --dataset cifar10 --strategy sync "
      "--batch-seconds cpu=1s");

  check_refused(outcome, "p.xml: host h: property model: got \"a\\x9b2J\"; expected a name");
}

TEST_CASE("a setting by class reports a missing class", "[cli]") {
  const Folder folder;
  check_refused(folder.run(kJob + " --strategy local-sgd --local-steps fast=3,medium=4"),
                "--local-steps: unknown device class \"medium\"; known: fast, slow, gpu, test-gpu");
  check_refused(folder.run(kJob + " --strategy local-sgd --local-steps gpus=4"),
                "--local-steps: unknown device class \"gpus\"; did you mean \"gpu\"?");
}

TEST_CASE("a strategy with an invalid name is refused", "[cli]") {
  const Folder folder;
  for (const std::string strategy : {"", ",", "sync,", ",sync", "sync,,dlb"}) {
    std::vector<std::string> arguments = words(kJob);
    arguments.insert(arguments.end(), {"--strategy", strategy});
    check_refused(folder.run(arguments),
                  "--strategy: got \"" + strategy + "\"; expected strategies such as sync,dlb");
    arguments[0] = "tune";
    arguments.insert(arguments.end(), {"--target-accuracy", "0.5", "--data", "procedural"});
    check_refused(folder.run(arguments), "--strategy: got \"" + strategy + "\"; expected ");
  }
}

TEST_CASE("a job in a CSV table or in JSON has the same values when read back", "[cli]") {
  const Folder folder;
  const Outcome outcome = folder.run(kJob + " --strategy sync --format csv --sweep " +
                                     "batch-seconds=gpu=1s,cpu=1s;gpu=2s,cpu=1s");

  CHECK(outcome.status == 0);
  CHECK(lines(outcome.out).at(1).starts_with("\"batch-seconds gpu=1s,cpu=1s\",sync,pair,"));
}

}  // namespace
}  // namespace epochcast::tests
