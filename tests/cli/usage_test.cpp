// SPDX-License-Identifier: Apache-2.0
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kUsage =
    "epochcast: how long does an epoch take, under each training strategy, on which cluster?\n"
    "\n"
    "  epochcast simulate   forecast epoch times on a simulated cluster\n"
    "  epochcast rehearse   train for real on a simulated clock: accuracy against a cluster's "
    "seconds\n"
    "  epochcast tune       choose K', H or other settings: the fastest to an accuracy\n"
    "  epochcast train      train for real, with LibTorch and Open MPI\n"
    "  epochcast emulate    exchange real messages between computations that are slept for what "
    "they "
    "cost\n"
    "  epochcast measure    what batches and messages cost on this machine\n"
    "  epochcast describe   a model file of yours: its layers, parameters and operations\n"
    "  epochcast import     what they cost in a job of yours: PyTorch profiles, tables of "
    "iteration times\n"
    "  epochcast calibrate  a platform from what was measured\n"
    "  epochcast validate   measure, calibrate, forecast, run for real: how far off were "
    "forecasts?\n"
    "  epochcast report     results of validate again: tables, bounds and a page\n"
    "  epochcast list       platforms, devices, networks, datasets, strategies, collectives or "
    "traces\n"
    "\n"
    "`epochcast COMMAND --help` explains a command.\n";

TEST_CASE("without arguments the usage goes to stderr, exit 2", "[cli]") {
  const Outcome outcome = Folder().run("");

  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == kUsage);
}

TEST_CASE("help that was asked for goes to stdout, exit 0", "[cli]") {
  for (const std::string flag : {"--help", "-h", "help"}) {
    const Outcome outcome = Folder().run(flag);

    CHECK(outcome.status == 0);
    CHECK(outcome.out == kUsage);
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("simulate --help names every setting with what it takes", "[cli]") {
  const Outcome outcome = Folder().run("simulate --help");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(Folder().run("simulate -h").out == outcome.out);
  for (const Setting& setting : settings_of(Command::simulate)) {
    CAPTURE(setting.name);
    const bool is_switch = setting.value_name == "on|off";
    CHECK(outcome.out.find("  --" + std::string(setting.name) + " " + (is_switch ? "[=" : "") +
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
}

TEST_CASE("list --help names every list", "[cli]") {
  const Outcome outcome = Folder().run("list --help");

  CHECK(outcome.status == 0);
  CHECK(outcome.out ==
        "epochcast list WHAT: what there is. WHAT is one of collectives datasets devices networks "
        "platforms "
        "strategies traces\n");
  CHECK(Folder().run("list -h").out == outcome.out);
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
       "unknown command \"fly\"; known: simulate, rehearse, tune, train, emulate, measure, "
       "describe, import, "
       "calibrate, "
       "validate, report, list"},
      {{""},
       "unknown command \"\"; known: simulate, rehearse, tune, train, emulate, measure, describe, "
       "import, "
       "calibrate, "
       "validate, report, list"},
      {{"list", "platform"}, "list: unknown list \"platform\"; did you mean \"platforms\"?"},
      {{"list"},
       "list: expected one of collectives, datasets, devices, networks, platforms, strategies, "
       "traces"},
      {{"list", "platforms", "networks"},
       "list: expected one of collectives, datasets, devices, networks, platforms, strategies, "
       "traces"},
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
