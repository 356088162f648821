// SPDX-License-Identifier: Apache-2.0
// Whatever an option is given: an answer, or an error that names the option; never a signal, never
// nothing.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "core/job/job_config.hpp"
#include "core/plain_text.hpp"
#include "core/random.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/robustness/campaign.hpp"

namespace epochcast::tests {
namespace {

using Words = std::vector<std::string>;

const Words kHostile = {"",
                        ",",
                        " ",
                        "a,,b",
                        ",a",
                        "a,",
                        "0",
                        "-0",
                        "-1",
                        "1e308",
                        "-1e308",
                        "nan",
                        "inf",
                        "-inf",
                        "2147483647",
                        "2147483648",
                        "9223372036854775807",
                        "9223372036854775808",
                        "18446744073709551616",
                        "1e-308",
                        " 1",
                        "1 ",
                        "+1",
                        "0x10",
                        "1_000",
                        "1,000",
                        "1.",
                        "1e3",
                        "\uff11",
                        "\u0663",
                        "on",
                        "all",
                        "all,all",
                        "sync,sync",
                        "all,sync",
                        "sync,",
                        "x=1",
                        "x=",
                        "=1",
                        "=",
                        "a=1,a=2",
                        "gpu=0s",
                        "gpu=-1s",
                        "gpu=nan",
                        "gpu=1e30s",
                        "gpu=1e-30s,cpu=1e-30s",
                        "1e30h",
                        "1e-30s",
                        "1e-30B",
                        "1e30TB",
                        "0B",
                        "0s",
                        "fast=3,medium=4",
                        "gpu=1e300",
                        "a:2147483647,b:2",
                        "a:0",
                        "a,a",
                        "a:",
                        ":2",
                        "node1:4,node2:4",
                        "1000000",
                        "1000000000000",
                        "1;2",
                        "1;;2",
                        "\x1b[2J",
                        "\x1b]0;title\x07",
                        "a\nb",
                        "x\n#SBATCH --wrap=id",
                        "\u202e",
                        "\u009b"
                        "2J",
                        "\xff",
                        "'",
                        "$(touch x)",
                        "`touch x`",
                        "a;touch x",
                        "|",
                        "--",
                        "-n",
                        ".",
                        "%n%s",
                        "{}",
                        "[]",
                        "\\",
                        "01:00:00",
                        "banana",
                        "2-",
                        "-1:00",
                        "2026-02-31",
                        std::string(5000, 'a')};

/// Settings that nothing else needs, and so may be set to anything.
const Words kSettings = {"batch",
                         "nodes",
                         "epochs",
                         "strategy",
                         "local-steps",
                         "workers",
                         "trace",
                         "seed",
                         "bucket",
                         "alpha",
                         "averaging-period",
                         "exact",
                         "partition-bytes",
                         "batch-seconds",
                         "exchange-seconds",
                         "all-reduce",
                         "overlap",
                         "platform"};

/// A command, and options of a job that it takes, by name; the values are good.
struct Attacked {
  std::string command;
  std::map<std::string, std::string> good;
  Words always = {};  ///< options that stay
};

std::vector<Attacked> attacked() {
  const std::map<std::string, std::string> forecast = {{"platform", "pair.json"},
                                                       {"network", "resnet20"},
                                                       {"dataset", "cifar10"},
                                                       {"epochs", "2"},
                                                       {"strategy", "sync,local-sgd,byteps"},
                                                       {"batch-seconds", "gpu=100ms,cpu=1s"}};
  auto rehearsal = forecast;
  rehearsal.insert({{"data", "procedural"}, {"train-samples", "1024"}, {"batch", "8"}});
  rehearsal["strategy"] = "local-sgd,node-based";
  auto tuning = rehearsal;
  tuning["target-accuracy"] = "0.5";
  auto emulation = forecast;
  emulation["strategy"] = "sync";
  const std::map<std::string, std::string> training = {{"network", "small-cnn"},
                                                       {"dataset", "mnist"},
                                                       {"data", "procedural"},
                                                       {"strategy", "sync"},
                                                       {"devices", "cpu,cuda:0"}};
  auto batch_job = training;
  batch_job.insert({{"slurm", "print"}, {"slurm-nodes", "2"}, {"slurm-time", "01:00:00"}});
  return {{"simulate", forecast, {"--format=json"}},
          {"simulate", forecast},
          {"rehearse", rehearsal},
          {"tune", tuning},
          {"train", training, {"--dry-run"}},
          {"train", batch_job, {"--dry-run"}},
          {"emulate", emulation, {"--dry-run"}},
          {"measure batches", {{"ranks", "2"}, {"hosts", "a:1,b"}, {"mpi-arguments", "-q"}}},
          {"calibrate", {{"messages", "none.json"}, {"output", "o.json"}}},
          {"validate", {{"repetitions", "2"}, {"folder", "kept"}}},
          {"report", {{"format", "table"}, {"min-tau", "0"}}}};
}

/// The program in a folder of its own, beside no other that could train for hours; a file that
/// lies in the place of epochcast-run lets --dry-run show how that would be started.
class Program {
 public:
  Program() {
    namespace fs = std::filesystem;
    fs::create_directory(folder_.path() / "bin");
    fs::copy_file(EPOCHCAST_PROGRAM, folder_.path() / "bin/epochcast");
    folder_.write("bin/epochcast-run", "");
  }

  [[nodiscard]] Outcome run(const Words& arguments) const {
    return folder_.run(arguments,
                       {.program = (folder_.path() / "bin/epochcast").string(), .cpu_seconds = 60});
  }
  [[nodiscard]] Words options_of(const std::string& command) const {
    const std::string help = run({command, "--help"}).out;
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

template <typename Value>
const Value& pick(const std::vector<Value>& values, Random& random) {
  return values[random.next() % values.size()];
}

/// A hostile value, or the good one, damaged.
std::string value_for(const std::string& good, Random& random) {
  if (good.empty() || random.uniform() < 0.7) return pick(kHostile, random);
  std::string value = good;
  const std::size_t at = random.next() % value.size();
  switch (random.next() % 4) {
    case 0:
      return value + "," + value;
    case 1:
      value[at] = static_cast<char>(1 + random.next() % 255);
      return value;
    case 2:
      return value.erase(at);
    default:
      return value.insert(at, pick(kHostile, random));
  }
}

/// What one case does.
struct Attack {
  Words arguments;
  std::string option;  ///< that is given the value
  std::string value;
  std::string experiment;  ///< the file of that name, when it is given there
};

Attack attack_on(const Attacked& job, const Words& options, Random& random) {
  Attack attack;
  attack.option = pick(options, random);
  auto given = job.good;
  const auto good = given.find(attack.option);
  std::string value = value_for(good == given.end() ? "" : good->second, random);
  const bool is_assignment =
      attack.option == "sweep" || attack.option == "set" || attack.option == "choose";
  if (is_assignment && random.uniform() < 0.8) value = pick(kSettings, random) + "=" + value;
  given.erase(attack.option);
  for (const Setting& setting : settings()) {
    if (setting.name != attack.option || random.uniform() < 0.7) continue;
    nlohmann::json document = {{"schema", "epochcast.experiment/1"}};
    document[attack.option] = value;
    if (random.uniform() < 0.3) document[attack.option] = {value, value};
    if (random.uniform() < 0.3) {
      document[attack.option] = pick<nlohmann::json>(
          {nullptr, -1, 0, 1e308, true, 9223372036854775807, nlohmann::json::array(), {{"a", 1}}},
          random);
    }
    attack.experiment = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  std::istringstream command(job.command);
  for (std::string word; command >> word;) attack.arguments.push_back(word);
  for (const auto& [name, text] : given) attack.arguments.push_back("--" + name + "=" + text);
  attack.arguments.insert(attack.arguments.end(), job.always.begin(), job.always.end());
  attack.value = value;
  if (!attack.experiment.empty()) {
    attack.arguments.emplace_back("--experiment=attack.json");
  } else if (random.uniform() < 0.5) {
    attack.arguments.push_back("--" + attack.option + "=" + value);
  } else {
    attack.arguments.insert(attack.arguments.end(), {"--" + attack.option, value});
  }
  return attack;
}

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
                   "this build has no epochcast-",  // all that was asked for is good
                   "look for a wrong unit",
                   "none.json",
                   "one or more"};
  if (!attack.value.empty()) reasons.push_back(printable(attack.value));
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

TEST_CASE("whatever an option is given, there is an answer or an error that names it") {
  const Program program;
  const std::vector<Attacked> jobs = attacked();
  std::map<std::string, Words> options;
  for (const Attacked& job : jobs) {
    Words& names = options[job.command];
    if (names.empty()) names = program.options_of(job.command);
    if (names.empty()) {
      for (const auto& [name, value] : job.good) names.push_back(name);
    }
  }
  const Campaign campaign(220);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    const Attacked& job = pick(jobs, random);
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
