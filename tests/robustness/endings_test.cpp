// SPDX-License-Identifier: Apache-2.0
// Signals at random moments, to a random process of a running command: nothing of it is left, and
// kept files are valid.
#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"
#include "tests/real/run/running_program.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/support/soon.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::json;

constexpr auto kOwnEnd = 3s;      ///< for a command that the attack did not end
constexpr double kLongest_s = 4;  ///< moments are random until then

/// A command that takes some seconds.
struct Attacked {
  std::string name;
  std::string arguments;
};

const std::string kResumable =
    kTrain + "--strategy sync --epochs 6 --checkpoint saved --checkpoint-every 1 --resume ";
const std::string kRehearsals =
    "--platform pair.json --network small-cnn --dataset cifar10 --data procedural --train-samples "
    "96 --test-samples 64 --batch 4 --learning-rate 0.05 --batch-seconds gpu=10ms "
    "--exchange-seconds 100ms --format json ";

const std::vector<Attacked>& commands() {
  static const std::vector<Attacked> all = {
      {.name = "simulate",
       .arguments = "simulate --platform pair.json --network resnet20 --dataset cifar10 --strategy "
                    "dlb --exact --epochs 3000 --batch-seconds gpu=1ms"},
      {.name = "train", .arguments = kResumable},
      {.name = "rehearse",
       .arguments = "rehearse --epochs 6 --strategy sync,local-sgd --local-steps 4 " + kRehearsals},
      {.name = "validate", .arguments = "validate validation.json --repetitions 1"},
      {.name = "tune",
       .arguments =
           "tune --epochs 3 --strategy local-sgd --seeds 2 --time-budget 1s " + kRehearsals},
      {.name = "emulate",
       .arguments = "emulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 20 "
                    "--batch 5000 --batch-seconds gpu=50ms --strategy sync"}};
  return all;
}

void fill(const Folder& folder) {
  folder.write("tiny.json", kTinyDataset);
  folder.write("validation.json", R"({
    "schema": "epochcast.experiment/1",
    "validate": {"command": "emulate", "cluster": "this machine", "ranks": 2,
                 "rows": [{"strategy": "sync"}, {"strategy": "hetgrad"}]},
    "platform": "pair.json", "network": "resnet20", "dataset": "cifar10", "batch": 5000,
    "epochs": 2, "batch-seconds": "gpu=50ms"})");
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(folder, missing))
    names.push_back(entry.path().string());
  return names;
}

/// The learned values, without times.
Json learned(const Json& rehearsals) {
  Json all = Json::array();
  for (const Json& one : rehearsals.at("rehearsals")) {
    for (const Json& point : one.at("curve"))
      all.push_back({point.at("train_loss"), point.at("test_loss"), point.at("test_accuracy")});
  }
  return all;
}

/// The result of an uninterrupted run of the command in a folder.
Json result_of(const Folder& folder, const Attacked& command) {
  const std::string metrics = command.name == "train" ? "--metrics metrics.jsonl" : "";
  fs::create_directories(folder.path() / "cache");
  const std::string cache = command.name == "rehearse" ? "--folder cache/epochcast/rehearsals" : "";
  const Outcome outcome = folder.run(command.arguments + metrics + cache);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  if (command.name == "rehearse") return learned(Json::parse(outcome.out));
  const std::vector<Json> lines = metrics_of(folder, "metrics.jsonl");
  // If killed after its last checkpoint, it has no epoch left to run.
  if (lines.empty()) return nullptr;
  Json last = lines.back();
  last.erase("bytes_sent");  // of epochs that were run from start to end
  return last;
}

const Json& uninterrupted_result_of(const Attacked& command) {
  static std::map<std::string, Json> known;
  if (!known.contains(command.name)) {
    const Folder folder;
    fill(folder);
    known[command.name] = result_of(folder, command);
  }
  return known.at(command.name);
}

/// One signal, determined by the seed except for the processes running at that moment.
class Attack {
 public:
  explicit Attack(std::uint64_t seed) : random_(seed) {
    const std::vector<int> signals = {SIGTERM, SIGKILL, SIGINT};
    signal = signals[random_.next() % signals.size()];
    delay = std::chrono::milliseconds(static_cast<int>(1000 * kLongest_s * random_.uniform()));
    const double draw = random_.uniform();
    target = draw < 0.35 ? Target::command : draw < 0.5 ? Target::group : Target::any;
  }

  enum class Target { command, group, any };
  int signal = 0;
  std::chrono::milliseconds delay{};
  Target target = Target::command;

  std::string strike(const RunningProgram& program) {
    const std::vector<pid_t> all = RunningProgram::processes();
    if (all.empty()) return "nobody";
    const std::string text = RunningProgram::process_text();
    pid_t victim = program.pid();
    if (target == Target::group) victim = -victim;
    if (target == Target::any) victim = all[random_.next() % all.size()];
    kill(victim, signal);
    return std::to_string(victim) + " of\n" + text;
  }

 private:
  Random random_;
};

TEST_CASE("a signal to any process of a command leaves only files that can be resumed from") {
  const Campaign campaign(2);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    const Attacked& command = commands()[seed % commands().size()];
    Attack attack(seed);
    const Folder folder;
    fill(folder);
    RunningProgram program(folder, command.arguments);
    std::this_thread::sleep_for(attack.delay);
    const bool was_over = program.has_ended();
    const std::string victim = attack.strike(program);
    CAPTURE(seed, command.name, attack.signal, attack.delay.count(), victim);

    // A signal to a helper may not have ended the command; then a user does.
    if (attack.target == Attack::Target::any &&
        !soon([&] { return program.has_ended(); }, kOwnEnd)) {
      kill(program.pid(), SIGTERM);
    }
    const bool is_gone =
        soon([&] { return program.has_ended() && RunningProgram::processes().empty(); });

    CAPTURE(folder.read("err.txt"), program.status());
    INFO("left: " << program.process_text());
    CHECK(is_gone);
    for (const std::string& file : files_in(folder.path() / "tmp")) {
      // If a command failed, messages name the folder with its logs, which is kept.
      const fs::path kept =
          folder.path() / "tmp" / *fs::relative(file, folder.path() / "tmp").begin();
      CAPTURE(file);
      CHECK_THAT(folder.read("err.txt"), Catch::Contains(kept.string()));
    }
    for (const std::string& file : files_in(folder.path() / "cache/epochcast/rehearsals")) {
      CAPTURE(file);
      CHECK((file.ends_with(".json") || file.ends_with(".learned") || file.ends_with(".state") ||
             file.ends_with("/lock") || file.find(".state.") != std::string::npos));
    }
    if (attack.target != Attack::Target::any && !was_over && program.status() != 0) {
      CHECK(program.status() == 128 + attack.signal);
    }
    if (command.name == "train" || command.name == "rehearse") {
      const Json resumed = result_of(folder, command);
      if (!resumed.is_null()) CHECK(resumed == uninterrupted_result_of(command));
      for (const std::string& file : files_in(folder.path() / "cache/epochcast/rehearsals"))
        CHECK((file.ends_with(".json") || file.ends_with(".learned") || file.ends_with("/lock")));
    }
  }
}

}  // namespace
}  // namespace epochcast::tests
