// SPDX-License-Identifier: Apache-2.0
// Completion in real shells, and manual pages in a real man.
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

/// The completions of bash at the end of `typed`; every part between `|` is a word.
std::vector<std::string> offered_by_bash(const Folder& folder,
                                         const std::vector<std::string>& typed) {
  std::string line;
  for (const std::string& word : typed) line += " '" + word + "'";
  const std::string script = "epochcast() { '" + std::string(EPOCHCAST_PROGRAM) +
                             "' \"$@\"; }; source <(epochcast completion bash); COMP_WORDS=(" +
                             line + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _epochcast; " +
                             "printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Outcome outcome = folder.run({"-c", script}, RunOptions{.program = "/bin/bash"});
  CHECK(outcome.err.empty());
  return lines(outcome.out);
}

using Words = std::vector<std::string>;

TEST_CASE("bash completes commands, options and their words", "[cli]") {
  const Folder folder;
  const auto offered = [&](const Words& typed) { return offered_by_bash(folder, typed); };

  CHECK(offered({"epochcast", "si"}) == Words{"simulate"});
  CHECK(offered({"epochcast", "simulate", "--over"}) == Words{"--overlap"});
  CHECK(offered({"epochcast", "simulate", "--overlap", ""}) == Words{"none", "bucket", "dear"});
  CHECK(offered({"epochcast", "simulate", "--overlap", "=", "b"}) == Words{"bucket"});
  CHECK(offered({"epochcast", "list", "pl"}) == Words{"platforms"});
  CHECK(offered({"epochcast", "measure", "b"}) == Words{"batches"});
  CHECK(offered({"epochcast", "simulate", "--sweep", "averaging-p"}) == Words{"averaging-period="});
  CHECK(offered({"epochcast", "simulate", "--set", "network.band"}) == Words{"network.bandwidth="});
  CHECK(offered({"epochcast", "simulate", "--columns", "epoch,blo"}) == Words{"epoch,blocked"});
  CHECK(offered({"epochcast", "simulate", "--sort", "blo"}) == Words{"blocked"});
  CHECK(offered({"epochcast", "measure", "batches", "--drop"}) == Words{"--drop-preempted"});
  CHECK(offered({"epochcast", "measure", "messages", "--out"}) == Words{"--output"});
  CHECK(offered({"epochcast", "describe", "--samples", ""}) == Words{"tokens", "numbers"});
}

TEST_CASE("bash completes the settings of find and the inputs of compare", "[cli]") {
  const Folder folder;
  const auto offered = [&](const Words& typed) { return offered_by_bash(folder, typed); };

  CHECK(offered({"epochcast", "find", "averaging-p"}) == Words{"averaging-period"});
  CHECK(offered({"epochcast", "find", "network.band"}) == Words{"network.bandwidth"});
  CHECK(offered({"epochcast", "find", "network.bandwidth,averaging-p"}) ==
        Words{"network.bandwidth,averaging-period"});
  CHECK(offered({"epochcast", "find", "overl"}) == Words{""});  // not numeric
  CHECK(offered({"epochcast", "compare", "deep-est-"}) ==
        Words{"deep-est-cm", "deep-est-dam", "deep-est-esb"});
  CHECK(offered({"epochcast", "compare", "deep-est-cm", "gp"}) == Words{"gpu.json"});
}

TEST_CASE("bash completes the catalogue's names, one's own, files, and lists", "[cli]") {
  const Folder folder;
  std::filesystem::create_directories(folder.path() / "models/platforms");
  folder.write("models/platforms/deep-own.json", folder.read("pair.json"));
  const auto offered = [&](const Words& typed) { return offered_by_bash(folder, typed); };

  CHECK(offered({"epochcast", "simulate", "--platform", "deep-"}) ==
        Words{"deep-est-cm", "deep-est-dam", "deep-est-esb", "deep-own"});
  CHECK(offered({"epochcast", "simulate", "--platform", "pair"}) == Words{"pair.json"});
  CHECK(offered({"epochcast", "simulate", "--strategy", "sync,local-"}) == Words{"sync,local-sgd"});
  CHECK(offered({"epochcast", "simulate", "--experiment", "gp"}) == Words{"gpu.json"});
  CHECK(offered({"epochcast", "report", "gp"}) == Words{"gpu.json"});
}

// zsh is optional; `make test` installs it.
TEST_CASE("zsh accepts the script", "[cli]") {
  const std::string zsh = "/usr/bin/zsh";
  if (!std::filesystem::exists(zsh)) {
    WARN("zsh is not installed");
    return;
  }
  const Folder folder;
  folder.write("_epochcast", folder.run("completion zsh").out);

  const Outcome outcome = folder.run({"-f", "-n", "_epochcast"}, RunOptions{.program = zsh});

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(folder.read("_epochcast").find("'*--platform=[cluster\\: a name from `list platforms`") !=
        std::string::npos);
}

TEST_CASE("manual pages contain all of --help all, and are well-formed", "[cli]") {
  const Folder folder;

  REQUIRE(folder.run("manual pages").status == 0);

  CHECK(folder.read("pages/epochcast-describe.1").find("\\fB\\-\\-layers\\fR\n") !=
        std::string::npos);
  CHECK(folder.read("pages/epochcast-measure.1").find(".SS measure messages\n") !=
        std::string::npos);

  const std::string page = folder.read("pages/epochcast-simulate.1");
  CHECK(page.find("\\fB\\-\\-platform\\fR \\fINAME|FILE\\fR\ncluster: a name from") !=
        std::string::npos);
  CHECK(folder.read("pages/epochcast.1").find(".BR epochcast\\-simulate (1),\n") !=
        std::string::npos);
  const std::string check =
      "for page in pages/*; do groff -man -Tutf8 -ww -z $page 2>&1 || echo failed; done";
  const Outcome outcome = folder.run({"-c", check}, RunOptions{.program = "/bin/sh"});
  CHECK(outcome.out.empty());
  CHECK(outcome.err.empty());
}

TEST_CASE("completion and manual require an argument", "[cli]") {
  const Folder folder;
  CHECK(folder.run("completion").err == "epochcast: completion: expected bash or zsh\n");
  CHECK(folder.run("completion fish")
            .err.starts_with("epochcast: completion: unknown shell \"fish\""));
  CHECK(folder.run("manual").err == "epochcast: manual: expected a folder to write the pages to\n");
}

}  // namespace
}  // namespace epochcast::tests
