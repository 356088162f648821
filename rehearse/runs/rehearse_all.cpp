// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearse_all.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/files/file_draft.hpp"
#include "base/process/process_pool.hpp"
#include "rehearse/runs/rehearsal_entry.hpp"
#include "rehearse/runs/rehearsal_folder.hpp"
#include "rehearse/runs/rehearsal_key.hpp"
#include "rehearse/runs/rehearsal_locks.hpp"
#include "rehearse/runs/rehearsal_program.hpp"
#include "results/running_bill.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// A rehearsal's key and files, and the platform for its cost: kept results have no prices.
struct Kept {
  std::string key;
  RehearsalFiles files;
  Platform platform;
};

class Runner {
 public:
  Runner(const std::vector<RehearsalTask>& tasks,
         const RehearsalPlace& place,
         const Catalog& catalog,
         const RehearsalCallbacks& callbacks)
      : place_(place), callbacks_(callbacks), locks_(made(place.folder)), shares_(tasks.size(), 0) {
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
      programs.push_back(
          rehearsal_words(outcomes_[index].task, place_.program, kept_[index].files.state));
    report_progress();
    run_programs(
        programs,
        place_.parallelism,
        [&](std::size_t call) { return turn_of(open_[call]); },
        [&](std::size_t call, const std::string& line) { read_line(open_[call], line); },
        [&](std::size_t call, const ProgramAnswer& answer) {
          finish_program(open_[call], answer);
        });
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      RehearsalOutcome& outcome = outcomes_[i];
      if (outcome.run) add_running_bill(*outcome.run, kept_[i].platform, outcome.task.config);
    }
    return std::move(outcomes_);
  }

 private:
  void prepare(RehearsalOutcome& outcome, const Catalog& catalog) {
    const std::size_t index = kept_.size();
    kept_.emplace_back();
    try {
      const Job job = load_job(outcome.task.config, catalog);
      const std::string key = rehearsal_key(outcome.task.config, job, catalog, place_.program);
      kept_.back() = {.key = key, .files = files_of(place_.folder, key), .platform = job.platform};
    } catch (const UserError& error) {
      outcome.problems = error.problems();
      outcome.ending = Ending::bad_input;
      shares_[index] = 1;
      return;
    }
    if (is_known(index)) {
      shares_[index] = 1;
      return;
    }
    // The same job may be requested twice.
    const bool is_under_way = std::any_of(open_.begin(), open_.end(), [&](std::size_t other) {
      return kept_[other].key == kept_[index].key;
    });
    if (is_under_way) {
      duplicates_.push_back(index);
    } else {
      open_.push_back(index);
    }
  }

  /// Whether there is a kept result for the task; then takes it as the outcome.
  bool is_known(std::size_t index) {
    RehearsalOutcome& outcome = outcomes_[index];
    std::optional<RehearsalEntry> entry = kept_entry(kept_[index].files.result);
    if (!entry) return false;
    take(outcome, std::move(*entry));
    const bool is_there = is_enough(outcome.task, outcome.curve);
    if (is_there) {
      // Later epochs, and their failure, are ignored.
      outcome.ending = Ending::done;
      outcome.problems.clear();
    }
    return is_there || outcome.ending == Ending::diverged;
  }

  /// Another process may work on it, or may have finished it since prepare().
  Turn turn_of(std::size_t index) {
    if (!locks_.try_take(kept_[index].key)) return Turn::later;
    if (!is_known(index)) return Turn::start;
    settle_task(index);
    return Turn::never;
  }

  /// The entry in a file; a damaged one is removed.
  [[nodiscard]] std::optional<RehearsalEntry> kept_entry(const fs::path& file) const {
    try {
      return read_entry(file);
    } catch (const std::runtime_error& error) {
      callbacks_.warning(std::string(error.what()) + "; rehearsing again");
      std::error_code ignored;
      fs::remove(file, ignored);
      return std::nullopt;
    }
  }

  static void take(RehearsalOutcome& outcome, RehearsalEntry entry) {
    outcome.run = std::move(entry.run);
    outcome.curve = std::move(entry.curve);
    outcome.ending = entry.diverged ? Ending::diverged : Ending::done;
    outcome.problems.clear();
    if (entry.diverged) outcome.problems = {*entry.diverged};
  }

  void read_line(std::size_t index, const std::string& line) {
    const std::optional<CurvePoint> point = epoch_in(line, place_.program, callbacks_.warning);
    if (!point) return;
    Curve& curve = outcomes_[index].curve;
    if (point->epoch == static_cast<std::int64_t>(curve.size()) + 1) curve.push_back(*point);
    shares_[index] = share_of(outcomes_[index].task, *point);
    report_progress();
  }

  void finish_program(std::size_t index, const ProgramAnswer& answer) {
    if (answer.status.ending() == Ending::done) {
      take_result(index, answer.text);
    } else {
      take_failure(index, answer);
    }
    settle_task(index);
  }

  void take_result(std::size_t index, const std::string& output) {
    RehearsalOutcome& outcome = outcomes_[index];
    const RehearsalFiles& files = kept_[index].files;
    RehearsalEntry entry = entry_from_line(files.result, last_line(output));
    write_entry(files.result, entry);
    take(outcome, std::move(entry));
    if (!is_enough(outcome.task, outcome.curve))
      throw RunError(files.result.string() + ": does not go as far as it should");
    std::error_code error;
    if (outcome.curve.back().epoch >= outcome.task.config.epochs) fs::remove(files.state, error);
    fs::remove(files.log, error);
  }

  void take_failure(std::size_t index, const ProgramAnswer& answer) {
    RehearsalOutcome& outcome = outcomes_[index];
    const RehearsalFiles& files = kept_[index].files;
    outcome.ending = answer.status.ending();
    outcome.problems = problems_in(answer.messages);
    if (outcome.problems.empty()) {
      outcome.problems = {"the rehearsal " + answer.status.death()};
      if (!answer.messages.empty()) {
        replace_file(files.log, answer.messages);
        outcome.problems.front() += "; see " + files.log.string();
      }
    }
    if (outcome.ending != Ending::diverged) return;
    // Kept, since it would diverge again.
    outcome.run.reset();  // the result of a shorter rehearsal does not apply
    write_entry(files.result, {.curve = outcome.curve, .diverged = outcome.problems.front()});
  }

  /// Copies the outcome to duplicates, and unlocks it for other calls.
  void settle_task(std::size_t index) {
    const RehearsalOutcome& outcome = outcomes_[index];
    locks_.release(kept_[index].key);
    shares_[index] = 1;
    for (const std::size_t duplicate : duplicates_) {
      if (kept_[duplicate].key != kept_[index].key) continue;
      RehearsalOutcome& same = outcomes_[duplicate];
      RehearsalTask task = std::move(same.task);
      same = outcome;
      same.task = std::move(task);
      shares_[duplicate] = 1;
    }
    report_progress();
  }

  void report_progress() const {
    double sum = 0;
    for (const double share : shares_) sum += share;
    callbacks_.share(shares_.empty() ? 1 : sum / static_cast<double>(shares_.size()));
  }

  const RehearsalPlace& place_;
  const RehearsalCallbacks& callbacks_;
  RehearsalLocks locks_;
  std::vector<RehearsalOutcome> outcomes_;
  std::vector<Kept> kept_;               ///< by task
  std::vector<double> shares_;           ///< done, by task
  std::vector<std::size_t> open_;        ///< tasks to run
  std::vector<std::size_t> duplicates_;  ///< tasks that are the same as an open one
};

}  // namespace

std::vector<RehearsalOutcome> rehearse_all(const std::vector<RehearsalTask>& tasks,
                                           const RehearsalPlace& place,
                                           const Catalog& catalog,
                                           const RehearsalCallbacks& callbacks) {
  return Runner(tasks, place, catalog, callbacks).run();
}

}  // namespace epochcast
