// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kUsage =
    "epochcast: how long does an epoch take, under each training strategy, on which\n"
    "cluster?\n"
    "\n"
    "  epochcast simulate   forecast epoch times on a simulated cluster\n"
    "  epochcast find       which value of a setting meets a condition, such as\n"
    "                       exposed < 10%\n"
    "  epochcast serve      a page that forecasts while you change settings\n"
    "  epochcast rehearse   train for real on a simulated clock: accuracy against a\n"
    "                       cluster's seconds\n"
    "  epochcast choose     which strategy, settings and cluster: the least time,\n"
    "                       cost or energy to an accuracy\n"
    "  epochcast tune       choose K', H or other settings: the fastest to an\n"
    "                       accuracy\n"
    "  epochcast train      train for real, with LibTorch and Open MPI\n"
    "  epochcast emulate    exchange real messages between computations that are\n"
    "                       slept for what they cost\n"
    "  epochcast measure    what batches and messages cost on this machine\n"
    "  epochcast describe   a model file of yours: its layers, parameters and\n"
    "                       operations\n"
    "  epochcast import     what they cost in a job of yours: PyTorch profiles,\n"
    "                       tables of iteration times\n"
    "  epochcast calibrate  a platform from what was measured\n"
    "  epochcast validate   measure, calibrate, forecast, run for real: how far off\n"
    "                       were forecasts?\n"
    "  epochcast report     results of validate again: tables, bounds and a page\n"
    "  epochcast compare    two results, platforms or experiments: what differs, and\n"
    "                       where the time went\n"
    "  epochcast list       platforms, devices, networks, datasets, strategies,\n"
    "                       collectives, compressions or traces\n"
    "\n"
    "`epochcast COMMAND --help` explains a command, `--help all` all of it.\n";

TEST_CASE("without arguments the usage goes to stderr, exit 2", "[cli]") {
  const Outcome outcome = Folder().run("");

  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == kUsage);
}

TEST_CASE("requested help goes to stdout, exit 0", "[cli]") {
  for (const std::string flag : {"--help", "-h", "help"}) {
    const Outcome outcome = Folder().run(flag);

    CHECK(outcome.status == 0);
    CHECK(outcome.out == kUsage);
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("help is brief: the options most used, and examples", "[cli]") {
  const Outcome outcome = Folder().run("simulate --help");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(Folder().run("simulate --batch 64 -h").out == outcome.out);
  const std::vector<std::string> printed = lines(outcome.out);
  CHECK(printed.size() < 40);
  CHECK(printed[0] == "epochcast simulate: forecast epoch times on a simulated cluster");
  CHECK(printed[2] == "Usage: epochcast simulate [OPTIONS]");
  CHECK(printed[5].starts_with(
      "  --platform NAME|FILE            cluster: a name from `list platforms`"));
  CHECK(outcome.out.find("\nExamples:\n  epochcast simulate --platform deep-est-esb --nodes 12") !=
        std::string::npos);
  CHECK(printed.back().starts_with("`epochcast simulate --help all` lists all "));
  for (const std::string& line : printed) CHECK(line.size() <= 80);
}

TEST_CASE("every command has help, short and long", "[cli]") {
  for (const CommandInfo& command : commands()) {
    CAPTURE(command.name);
    REQUIRE(command.help != nullptr);
    for (const std::string flags : {" --help", " --help all"}) {
      const Outcome outcome = Folder().run(std::string(command.name) + flags);
      CHECK(outcome.status == 0);
      CHECK(outcome.err.empty());
      CHECK(outcome.out.starts_with("epochcast " + std::string(command.name) + ": "));
    }
  }
}

TEST_CASE("measure has help about batches, about messages, and about both", "[cli]") {
  const auto help = [](const std::string& words) { return Folder().run("measure " + words).out; };
  const std::string batches = help("batches --help all");
  const std::string messages = help("messages --help all");
  const std::string both = help("--help all");

  CHECK(lines(batches)[2] == "Usage: epochcast measure batches [OPTIONS]");
  CHECK(lines(both)[2] == "Usage: epochcast measure batches|messages [OPTIONS]");
  for (const std::string option : {"\n  --network NAME|FILE,...", "\n  --drop-preempted"}) {
    CHECK_THAT(batches, Catch::Contains(option));
    CHECK_THAT(messages, !Catch::Contains(option));
    CHECK_THAT(both, Catch::Contains(option));
  }
  CHECK_THAT(batches, !Catch::Contains("\n  --bytes"));
  CHECK_THAT(messages, Catch::Contains("\n  --bytes BYTES,..."));
  for (const std::string& text : {batches, messages, both})
    CHECK_THAT(text, Catch::Contains("\n  --hosts NAME[:RANKS],..."));
  CHECK_THAT(help("batches --help"),
             Catch::Contains("`epochcast measure batches --help all` lists all "));
}

TEST_CASE("--help all lists every setting, by subject, and strategies' own under their names",
          "[cli]") {
  const Outcome outcome = Folder().run("simulate --help all");

  CHECK(outcome.status == 0);
  CHECK(Folder().run("simulate --help=all").out == outcome.out);
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    CAPTURE(setting.name);
    const bool is_switch = setting.value_name == "on|off";
    CHECK(outcome.out.find("  --" + std::string(setting.name) + " " + (is_switch ? "[" : "") +
                           std::string(setting.value_name)) != std::string::npos);
  }
  for (const std::string option : {"--experiment FILE",
                                   "--set NAME=VALUE",
                                   "--sweep NAME=V1,V2,...",
                                   "--format table|json|csv",
                                   "--timeline FILE",
                                   "--chakra FOLDER",
                                   "--help"}) {
    CAPTURE(option);
    CHECK(outcome.out.find(option) != std::string::npos);
  }
  CHECK(outcome.out.find("\nStrategy byteps:\n  --partition-bytes SIZE ") != std::string::npos);
  CHECK(outcome.out.find("\nCosts and the simulation:\n  --trace ") != std::string::npos);
}

TEST_CASE("the options in a command's short help exist", "[cli]") {
  for (const CommandInfo& command : commands()) {
    if (command.help == nullptr) continue;
    CAPTURE(command.name);
    const CommandHelp help = command.help();
    CHECK(options_named(help, help.most_used).size() == help.most_used.size());
    CHECK(Folder().run(std::string(command.name) + " --help").status == 0);
  }
}

TEST_CASE("list --help names every list, and --names is one name a line", "[cli]") {
  const Folder folder;
  const Outcome outcome = folder.run("list --help");
  CHECK(outcome.status == 0);
  CHECK(folder.run("list -h").out == outcome.out);
  for (const std::string& what : words(std::string(commands().back().words))) {
    CAPTURE(what);
    CHECK(outcome.out.find(what) != std::string::npos);
    const Outcome names = folder.run("list " + what + " --names");
    CHECK(names.status == 0);
    CHECK(lines(names.out).size() > 3);
    for (const std::string& name : lines(names.out)) CHECK(words(name).size() == 1);
  }
}

TEST_CASE("--version is one line", "[cli]") {
  const Outcome outcome = Folder().run("--version");

  CHECK(outcome.status == 0);
  CHECK(outcome.out == "epochcast " EPOCHCAST_VERSION "\n");
}

TEST_CASE("an unknown command or list gets the closest name, exit 2", "[cli]") {
  struct Case {
    std::vector<std::string> arguments;
    std::string error;
  };
  const std::vector<Case> cases = {
      {{"simulat"}, "unknown command \"simulat\"; did you mean \"simulate\"?"},
      {{"lists"}, "unknown command \"lists\"; did you mean \"list\"?"},
      {{"fly"},
       "unknown command \"fly\"; known: simulate, find, serve, rehearse, choose, tune, train, "
       "emulate, measure, describe, import, calibrate, validate, report, compare, list"},
      {{""},
       "unknown command \"\"; known: simulate, find, serve, rehearse, choose, tune, train, "
       "emulate, "
       "measure, "
       "describe, "
       "import, "
       "calibrate, "
       "validate, report, compare, list"},
      {{"list", "platform"}, "list: unknown list \"platform\"; did you mean \"platforms\"?"},
      {{"list"},
       "list: expected one of collectives, compressions, datasets, devices, networks, platforms, "
       "strategies, traces"},
      {{"list", "platforms", "networks"},
       "list: expected one of collectives, compressions, datasets, devices, networks, platforms, "
       "strategies, traces"},
  };
  for (const Case& each : cases) {
    const Outcome outcome = Folder().run(each.arguments);

    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "epochcast: " + each.error + "\n");
  }
}

}  // namespace
}  // namespace epochcast::tests
