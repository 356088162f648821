// SPDX-License-Identifier: Apache-2.0
#include "tests/robustness/option_attacks.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "strategies/settings.hpp"

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

/// Independent settings, which may have any value.
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

}  // namespace

std::vector<Attacked> attacked_commands() {
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
  for (const Setting& setting : all_settings().rows()) {
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

}  // namespace epochcast::tests
