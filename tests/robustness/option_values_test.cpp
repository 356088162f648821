// SPDX-License-Identifier: Apache-2.0
// Whatever an option is given: an answer, or an error that names the option; never a signal, never
// nothing.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/text/plain_text.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/option_attacks.hpp"

namespace epochcast::tests {
namespace {

using Words = std::vector<std::string>;

/// The program in a temporary folder, without other programs that could train for hours; a file in
/// place of epochcast-run lets --dry-run show its command line.
class Program {
 public:
  Program() {
    namespace fs = std::filesystem;
    fs::create_directory(folder_.path() / "bin");
    fs::copy_file(EPOCHCAST_PROGRAM, folder_.path() / "bin/epochcast");
    folder_.write("bin/epochcast-run", "");
  }

  [[nodiscard]] Outcome run(const Words& arguments) const {
    return folder_.run(
        arguments, {.program = (folder_.path() / "bin/epochcast").string(), .cpu_seconds = 120});
  }
  [[nodiscard]] Words options_of(const std::string& command) const {
    const std::string help = run({command, "--help", "all"}).out;
    const std::regex option("\n  (?:-h \\[ )?--([a-z-]+)[^\n]*");
    Words names;
    for (auto at = std::sregex_iterator(help.begin(), help.end(), option);
         at != std::sregex_iterator();
         ++at) {
      const bool writes = at->str().find("FOLDER") != std::string::npos;
      if ((*at)[1] != "help" && (*at)[1] != "dry-run" && !writes) names.push_back((*at)[1]);
    }
    return names;
  }
  void write(const std::string& file, const std::string& text) const { folder_.write(file, text); }

 private:
  Folder folder_;
};

/// Lines, tabs and plain text only.
bool is_harmless(const std::string& text) {
  const auto all = lines(text);
  return std::all_of(all.begin(), all.end(), [](std::string line) {
    line.erase(std::remove(line.begin(), line.end(), '\t'), line.end());
    return is_plain_text(line);
  });
}

/// Whether an error has a reason that is true: the option or its value, or what every such job runs
/// into in the end.
bool says_why(const std::string& error, const Attack& attack) {
  Words reasons = {attack.option,
                   "there is no epochcast-",  // all that was asked for is good
                   "look for a wrong unit",
                   "none.json",
                   "one or more"};
  if (!attack.value.empty()) reasons.push_back(printable(attack.value));
  // Some commands have no experiments.
  if (!attack.experiment.empty()) reasons.emplace_back("unknown option \"--experiment=");
  // --sweep, --set and --choose say which setting it is.
  const std::size_t equals = attack.value.find('=');
  if (equals != 0 && equals != std::string::npos)
    reasons.push_back("--" + attack.value.substr(0, equals));
  return std::any_of(reasons.begin(), reasons.end(), [&](const std::string& reason) {
    return error.find(reason) != std::string::npos;
  });
}

void check_answer(const std::string& out) {
  CHECK_FALSE(out.empty());
  if (out.starts_with("mpirun") || out.starts_with("#!")) {
    // Its only numbers are those that were given: a trace may be called inf.
    CHECK(std::regex_search(out, std::regex("mpirun -n [1-9][0-9]* ")));
    return;
  }
  CHECK_FALSE(std::regex_search(out, std::regex("\\b-?(nan|inf)\\b")));
  if (!out.starts_with("{")) return;
  const nlohmann::json document = nlohmann::json::parse(out);
  CHECK_FALSE(document.at("runs").empty());
  for (const nlohmann::json& run : document.at("runs")) {
    CHECK(run.at("epoch_s").get<double>() > 0);
    CHECK(std::isfinite(run.at("epoch_s").get<double>()));
  }
}

TEST_CASE("any value of an option is accepted, or refused with the option's name") {
  const Program program;
  const std::vector<Attacked> jobs = attacked_commands();
  std::map<std::string, Words> options;
  for (const Attacked& job : jobs) {
    Words& names = options[job.command];
    if (names.empty()) names = program.options_of(job.command);
    if (names.empty()) {
      for (const auto& [name, value] : job.good) names.push_back(name);
    }
  }
  const Campaign campaign(70);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    const Attacked& job = jobs[random.next() % jobs.size()];
    const Attack attack = attack_on(job, options[job.command], random);
    if (!attack.experiment.empty()) program.write("attack.json", attack.experiment);

    const Outcome outcome = program.run(attack.arguments);

    CAPTURE(seed, job.command, attack.option, attack.experiment, outcome.err.substr(0, 400));
    INFO("last word: " + printable(attack.arguments.back().substr(0, 200)));
    CHECK((outcome.status >= 0 && outcome.status <= 2));
    CHECK(is_harmless(outcome.out));
    CHECK(is_harmless(outcome.err));
    if (outcome.status == 0) check_answer(outcome.out);
    if (outcome.status == 2) CHECK(says_why(outcome.err, attack));
    if (outcome.status == 1) CHECK_FALSE(outcome.err.empty());
  }
}

}  // namespace
}  // namespace epochcast::tests
