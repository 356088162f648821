// SPDX-License-Identifier: Apache-2.0
#include "analysis/rehearsals.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/process_pool.hpp"
#include "analysis/rehearsal_key.hpp"
#include "analysis/rehearsal_locks.hpp"
#include "core/error.hpp"
#include "core/file_draft.hpp"
#include "core/output_file.hpp"
#include "core/text_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The epoch that ends the task.
Curve::const_iterator end_of(const RehearsalTask& task, const Curve& curve) {
  return std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) {
    return point.epoch >= task.config.epochs ||
           (task.stop_after_s && point.training_s >= *task.stop_after_s) ||
           (task.stop_at_accuracy && point.test_accuracy &&
            *point.test_accuracy >= *task.stop_at_accuracy);
  });
}

/// Whether the curve goes as far as the task asks. What an earlier one went further is cut off: the
/// answer must not depend on what is in the folder.
bool is_enough(const RehearsalTask& task, Curve& curve) {
  const auto end = end_of(task, curve);
  if (end == curve.end()) return false;
  curve.erase(end + 1, curve.end());
  return true;
}

/// A rehearsal's name and files.
struct Kept {
  std::string key;
  fs::path result;  ///< what the program said last, or why it cannot go on
  fs::path state;
  fs::path log;  ///< of one that failed for no reason that it could name
};

Kept kept_of(const fs::path& folder, const std::string& key) {
  return {.key = key,
          .result = folder / (key + ".json"),
          .state = folder / (key + ".state"),
          .log = folder / (key + ".log")};
}

/// Reads what is kept; false when there is nothing, or nothing whole.
bool read_result(const fs::path& file, RehearsalOutcome& outcome) {
  if (!fs::exists(file)) return false;
  const Json json = Json::parse(read_text_file(file, kSamplesFile), nullptr, false);
  if (!json.is_object()) return false;
  if (!json.contains("curve") || !json.contains("run")) return false;
  outcome.curve.clear();
  for (const Json& point : json.at("curve")) outcome.curve.push_back(curve_point_from_json(point));
  if (!json.at("run").is_null()) outcome.run = run_from_json(json.at("run"));
  outcome.has_diverged = json.contains("problem");
  if (outcome.has_diverged) outcome.problems = {json.at("problem").get<std::string>()};
  return true;
}

/// What is kept of a rehearsal that cannot go on: how far it came, and why.
std::string diverged_text(const RehearsalOutcome& outcome) {
  Json json = {{"problem", outcome.problems.front()}, {"run", nullptr}, {"curve", Json::array()}};
  if (outcome.run) json["run"] = to_json(*outcome.run);
  for (const CurvePoint& point : outcome.curve) json["curve"].push_back(to_json(point));
  return json.dump() + "\n";
}

std::vector<std::string> words_of(const RehearsalTask& task,
                                  const fs::path& program,
                                  const fs::path& state) {
  // OpenBLAS looks at its environment when it is loaded.
  std::vector<std::string> words = {
      "env", "OMP_NUM_THREADS=" + std::to_string(task.config.machine.threads), program.string()};
  for (const SettingText& setting : setting_texts(task.config, in(Command::rehearse)))
    words.push_back("--" + setting.name + "=" + setting.value);
  words.push_back("--state=" + state.string());
  const auto add = [&](const char* flag, const std::optional<double>& value, const char* unit) {
    if (!value) return;
    std::ostringstream text;
    text.precision(17);
    text << flag << *value << unit;
    words.push_back(text.str());
  };
  add("--stop-after=", task.stop_after_s, "s");
  add("--stop-at-accuracy=", task.stop_at_accuracy, "");
  return words;
}

/// What the program said about its end.
std::vector<std::string> last_words(const std::string& said) {
  std::vector<std::string> problems;
  std::istringstream lines(said);
  const std::string prefix = "epochcast: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) problems.push_back(line.substr(prefix.size()));
  }
  return problems;
}

/// The folder, which is made where it is missing.
const fs::path& made(const fs::path& folder) {
  check_output_folder(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw RunError(folder.string() + ": " + error.message());
  return folder;
}

class Runner {
 public:
  Runner(const std::vector<RehearsalTask>& tasks,
         const RehearsalPlace& place,
         const Catalog& catalog,
         const std::function<void(double)>& progress)
      : place_(place), progress_(progress), locks_(made(place.folder)), shares_(tasks.size(), 0) {
    for (const RehearsalTask& task : tasks) {
      outcomes_.push_back({.task = task});
      outcomes_.back().task.config = essential(task.config);
      prepare(outcomes_.back(), catalog);
    }
  }

  std::vector<RehearsalOutcome> run() {
    std::vector<std::vector<std::string>> programs;
    programs.reserve(open_.size());
    for (const std::size_t index : open_)
      programs.push_back(words_of(outcomes_[index].task, place_.program, kept_[index].state));
    tell();
    run_programs(
        programs,
        place_.parallelism,
        [&](std::size_t call) { return turn_of(open_[call]); },
        [&](std::size_t call, const std::string& line) { heard(open_[call], line); },
        [&](std::size_t call, const TaskAnswer& answer) { ended(open_[call], answer); });
    return std::move(outcomes_);
  }

 private:
  void prepare(RehearsalOutcome& outcome, const Catalog& catalog) {
    const std::size_t index = kept_.size();
    kept_.emplace_back();
    try {
      const Job job = load_job(outcome.task.config, catalog);
      kept_.back() =
          kept_of(place_.folder, rehearsal_key(outcome.task.config, job, catalog, place_.program));
    } catch (const UserError& error) {
      outcome.problems = error.problems();
      outcome.is_bad_input = true;
      shares_[index] = 1;
      return;
    }
    if (is_known(index)) {
      shares_[index] = 1;
      return;
    }
    // The same job may be asked for twice.
    const bool is_under_way = std::any_of(open_.begin(), open_.end(), [&](std::size_t other) {
      return kept_[other].key == kept_[index].key;
    });
    if (is_under_way) {
      twins_.push_back(index);
    } else {
      open_.push_back(index);
    }
  }

  /// Whether it was rehearsed so far already; its outcome then.
  bool is_known(std::size_t index) {
    RehearsalOutcome& outcome = outcomes_[index];
    if (!read_result(kept_[index].result, outcome)) return false;
    const bool is_there = is_enough(outcome.task, outcome.curve);
    if (is_there) {
      // Whatever came later.
      outcome.has_diverged = false;
      outcome.problems.clear();
    }
    return is_there || outcome.has_diverged;
  }

  /// Another call may be at it, or may have finished it since we looked.
  Turn turn_of(std::size_t index) {
    if (!locks_.try_take(kept_[index].key)) return Turn::later;
    if (!is_known(index)) return Turn::start;
    settle(index);
    return Turn::never;
  }

  void heard(std::size_t index, const std::string& line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("epoch")) return;
    const RehearsalTask& task = outcomes_[index].task;
    const CurvePoint point = curve_point_from_json(json);
    Curve& curve = outcomes_[index].curve;
    if (point.epoch == static_cast<std::int64_t>(curve.size()) + 1) curve.push_back(point);
    double share = static_cast<double>(point.epoch) / static_cast<double>(task.config.epochs);
    if (task.stop_after_s) share = std::max(share, point.training_s / *task.stop_after_s);
    shares_[index] = std::min(share, 1.0);
    tell();
  }

  void ended(std::size_t index, const TaskAnswer& answer) {
    RehearsalOutcome& outcome = outcomes_[index];
    const Kept& kept = kept_[index];
    if (answer.death.empty()) {
      // The last line says everything.
      const std::size_t end = answer.text.find_last_not_of('\n');
      const std::size_t begin = answer.text.rfind('\n', end);
      replace_file(
          kept.result,
          answer.text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin) + "\n");
      std::error_code error;
      if (!read_result(kept.result, outcome) || !is_enough(outcome.task, outcome.curve))
        throw RunError(kept.result.string() + ": is no result of a rehearsal");
      if (outcome.curve.back().epoch >= outcome.task.config.epochs) fs::remove(kept.state, error);
      fs::remove(kept.log, error);
    } else {
      outcome.problems = last_words(answer.said);
      outcome.is_bad_input = answer.death.ends_with(" 2");
      if (outcome.problems.empty()) {
        outcome.problems = {"the rehearsal " + answer.death};
        if (!answer.said.empty()) {
          replace_file(kept.log, answer.said);
          outcome.problems.front() += "; see " + kept.log.string();
        }
      }
      // A loss that is not finite will not be finite next time.
      outcome.has_diverged = outcome.problems.front().find("the loss is ") != std::string::npos;
      if (outcome.has_diverged) replace_file(kept.result, diverged_text(outcome));
    }
    settle(index);
  }

  /// What is over, for its twins and for other calls.
  void settle(std::size_t index) {
    const RehearsalOutcome& outcome = outcomes_[index];
    locks_.release(kept_[index].key);
    shares_[index] = 1;
    for (const std::size_t twin : twins_) {
      if (kept_[twin].key != kept_[index].key) continue;
      outcomes_[twin].run = outcome.run;
      outcomes_[twin].curve = outcome.curve;
      outcomes_[twin].problems = outcome.problems;
      outcomes_[twin].has_diverged = outcome.has_diverged;
      outcomes_[twin].is_bad_input = outcome.is_bad_input;
      shares_[twin] = 1;
    }
    tell();
  }

  void tell() const {
    double sum = 0;
    for (const double share : shares_) sum += share;
    progress_(shares_.empty() ? 1 : sum / static_cast<double>(shares_.size()));
  }

  const RehearsalPlace& place_;
  const std::function<void(double)>& progress_;
  RehearsalLocks locks_;
  std::vector<RehearsalOutcome> outcomes_;
  std::vector<Kept> kept_;          ///< by task
  std::vector<double> shares_;      ///< done, by task
  std::vector<std::size_t> open_;   ///< tasks to run
  std::vector<std::size_t> twins_;  ///< tasks that are the same as an open one
};

}  // namespace

std::vector<RehearsalOutcome> rehearse_all(const std::vector<RehearsalTask>& tasks,
                                           const RehearsalPlace& place,
                                           const Catalog& catalog,
                                           const std::function<void(double)>& progress) {
  return Runner(tasks, place, catalog, progress).run();
}

fs::path rehearsal_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path root = cache != nullptr && *cache != '\0' ? fs::path(cache)
                  : home != nullptr                  ? fs::path(home) / ".cache"
                                                     : fs::temp_directory_path();
  return root / "epochcast" / "rehearsals";
}

}  // namespace epochcast
