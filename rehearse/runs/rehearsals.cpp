// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsals.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.hpp"
#include "core/files/file_draft.hpp"
#include "core/files/output_file.hpp"
#include "core/files/text_file.hpp"
#include "core/json/json_input.hpp"
#include "core/process/process_pool.hpp"
#include "rehearse/runs/rehearsal_entry.hpp"
#include "rehearse/runs/rehearsal_key.hpp"
#include "rehearse/runs/rehearsal_locks.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

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
  fs::path result;  ///< its entry
  fs::path state;
  fs::path log;  ///< of one that failed for no reason that it could name
};

Kept kept_of(const fs::path& folder, const std::string& key) {
  return {.key = key,
          .result = folder / (key + ".json"),
          .state = folder / (key + ".state"),
          .log = folder / (key + ".log")};
}

std::vector<std::string> words_of(const RehearsalTask& task,
                                  const fs::path& program,
                                  const fs::path& state) {
  // OpenBLAS looks at its environment when it is loaded.
  std::vector<std::string> words = {
      "env", "OMP_NUM_THREADS=" + std::to_string(task.config.machine.threads), program.string()};
  for (const SettingText& setting : command_texts(task.config, Command::rehearse))
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
         const RehearsalNews& news)
      : place_(place), news_(news), locks_(made(place.folder)), shares_(tasks.size(), 0) {
    for (const RehearsalTask& task : tasks) {
      outcomes_.push_back({.task = task});
      outcomes_.back().task.config = without_settings_of_others(task.config);
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
    std::optional<RehearsalEntry> entry = kept_entry(kept_[index].result);
    if (!entry) return false;
    take(outcome, std::move(*entry));
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

  /// What is kept under a name; what is damaged counts as nothing.
  [[nodiscard]] std::optional<RehearsalEntry> kept_entry(const fs::path& file) const {
    try {
      return read_entry(file);
    } catch (const std::runtime_error& error) {
      news_.warning(std::string(error.what()) + "; rehearsing again");
      std::error_code ignored;
      fs::remove(file, ignored);
      return std::nullopt;
    }
  }

  static void take(RehearsalOutcome& outcome, RehearsalEntry entry) {
    outcome.run = std::move(entry.run);
    outcome.curve = std::move(entry.curve);
    outcome.has_diverged = entry.diverged.has_value();
    outcome.problems.clear();
    if (entry.diverged) outcome.problems = {*entry.diverged};
  }

  void heard(std::size_t index, const std::string& line) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) return;
    if (json.contains("warning")) news_.warning(json.at("warning").get<std::string>());
    if (!json.contains("epoch")) return;
    const RehearsalTask& task = outcomes_[index].task;
    Problems problems(place_.program.string());
    const CurvePoint point = read_curve_point(JsonInput(json, "", problems));
    problems.throw_if_any();
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
      RehearsalEntry entry = entry_from_line(
          kept.result, answer.text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin));
      write_entry(kept.result, entry);
      take(outcome, std::move(entry));
      if (!is_enough(outcome.task, outcome.curve))
        throw RunError(kept.result.string() + ": does not go as far as it should");
      std::error_code error;
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
      if (outcome.has_diverged) {
        outcome.run.reset();  // an earlier one's end is not this one's
        write_entry(kept.result, {.curve = outcome.curve, .diverged = outcome.problems.front()});
      }
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
    news_.share(shares_.empty() ? 1 : sum / static_cast<double>(shares_.size()));
  }

  const RehearsalPlace& place_;
  const RehearsalNews& news_;
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
                                           const RehearsalNews& news) {
  return Runner(tasks, place, catalog, news).run();
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
