// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearse_all.hpp"

#include <algorithm>

#include "analysis/forecast/shared_jobs.hpp"
#include "base/error.hpp"
#include "base/files/cache_folder.hpp"
#include "base/files/file_draft.hpp"
#include "base/process/keyed_locks.hpp"
#include "base/process/process_pool.hpp"
#include "rehearse/runs/beginnings.hpp"
#include "rehearse/runs/learning_trace.hpp"
#include "rehearse/runs/rehearsal_entry.hpp"
#include "rehearse/runs/rehearsal_folder.hpp"
#include "rehearse/runs/rehearsal_key.hpp"
#include "rehearse/runs/rehearsal_program.hpp"
#include "rehearse/runs/timed_job.hpp"
#include "rehearse/time/learning_settings.hpp"
#include "results/running_bill.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// What is known of a task, and its files.
struct Known {
  std::string key = {};  ///< of its result
  LearningJob learning = {};
  std::optional<Job> job = {};
  bool is_settled = false;
  /// Epochs in its learning trace when it was timed.
  std::int64_t learned_epochs = 0;

  /// The name of what is computed for it: tasks with the same one are computed once.
  [[nodiscard]] const std::string& name() const {
    return learning.name.empty() ? key : learning.name;
  }
};

class Runner {
 public:
  Runner(const std::vector<RehearsalTask>& tasks,
         const RehearsalPlace& place,
         const Catalog& catalog,
         const RehearsalCallbacks& callbacks)
      : place_(place),
        catalog_(catalog),
        callbacks_(callbacks),
        jobs_([&catalog](const JobConfig& config) { return load_job(config, catalog); }),
        locks_(made(place.folder)),
        shares_(tasks.size(), 0) {
    for (const RehearsalTask& task : tasks) {
      outcomes_.push_back({.task = task});
      outcomes_.back().task.config = without_settings_of_others(task.config);
      prepare(outcomes_.back());
    }
  }

  std::vector<RehearsalOutcome> run() {
    report_progress();
    time_open_tasks();
    for (LearningPlan next = plan(); !next.first.empty(); next = plan()) {
      compute(next);
      // Others have learned the same, or want more epochs of it.
      time_open_tasks();
    }
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      RehearsalOutcome& outcome = outcomes_[i];
      if (outcome.run) add_running_bill(*outcome.run, known_[i].job->platform, outcome.task.config);
    }
    return std::move(outcomes_);
  }

 private:
  [[nodiscard]] RehearsalFiles result_files(std::size_t index) const {
    return files_of(place_.folder, known_[index].key);
  }
  /// Of its learning trace and state.
  [[nodiscard]] RehearsalFiles learning_files(std::size_t index) const {
    return files_of(place_.folder, known_[index].name());
  }

  void prepare(RehearsalOutcome& outcome) {
    const std::size_t index = known_.size();
    Known& known = known_.emplace_back();
    try {
      jobs_.read(outcome.task.config);
      known.job = jobs_.job_of(outcome.task.config);
      known.key = rehearsal_key(outcome.task.config, *known.job, catalog_, place_.program->path());
    } catch (const UserError& error) {
      fail(index, Ending::bad_input, error.problems());
      return;
    }
    if (is_known(index)) settle(index);
  }

  /// The tasks to compute now.
  [[nodiscard]] LearningPlan plan() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (!known_[i].is_settled) open.push_back(i);
    return plan_learning(learning_jobs(), open);
  }
  [[nodiscard]] std::vector<LearningJob> learning_jobs() const {
    std::vector<LearningJob> jobs;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      jobs.push_back(known_[i].learning);
      jobs.back().name = known_[i].name();
      jobs.back().epochs = static_cast<std::int64_t>(outcomes_[i].curve.size());
    }
    return jobs;
  }

  /// Times all open tasks on their clusters, in a process each. Those that were learned elsewhere
  /// are then done.
  void time_open_tasks() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (!known_[i].is_settled && is_known(i)) settle(i);
      if (!known_[i].is_settled) open.push_back(i);
    }
    run_in_processes(
        open.size(),
        place_.parallelism,
        [&](std::size_t i) {
          const std::size_t index = open[i];
          return to_text(time_job(outcomes_[index].task.config,
                                  *known_[index].job,
                                  catalog_,
                                  place_.program->path(),
                                  place_.folder,
                                  learning_jobs()));
        },
        [&](std::size_t i, const TaskAnswer& answer) { take_time(open[i], answer); });
  }

  void take_time(std::size_t index, const TaskAnswer& answer) {
    if (answer.ending != Ending::done) {
      fail(index, answer.ending, answer.problems);
      return;
    }
    TimedJob timed = timed_job_from(answer.text, result_files(index).result);
    RehearsalOutcome& outcome = outcomes_[index];
    known_[index].learning = timed.learning;
    if (!timed.alike.name.empty())
      hand_on(files_of(place_.folder, timed.alike.name), learning_files(index), timed.alike.epochs);
    if (outcome.reason_to_learn.empty()) outcome.reason_to_learn = timed.reason;
    if (!timed.entry) return;
    known_[index].learned_epochs = static_cast<std::int64_t>(timed.entry->curve.size());
    write_entry(result_files(index).result, *timed.entry);
    take(outcome, std::move(*timed.entry));
    outcome.origin = outcome.learned_epochs > 0 ? RehearsalOutcome::Origin::learned
                                                : RehearsalOutcome::Origin::timed;
    if (ends(index)) settle(index);
  }

  void compute(const LearningPlan& plan) {
    const std::vector<std::size_t>& open = plan.first;
    // Cores that have no rehearsal compute for workers of the others.
    const std::size_t at_a_time = std::max<std::size_t>(1, place_.parallelism / open.size());
    run_programs(
        open.size(),
        place_.parallelism,
        [&](std::size_t call, const ChildFiles& files) {
          const RehearsalTask& task = outcomes_[open[call]].task;
          std::vector<std::string> arguments =
              rehearsal_arguments(task, learning_files(open[call]).state);
          arguments.push_back("--batches-at-a-time=" + std::to_string(at_a_time));
          for (const LearningPlan::Follower& follower : plan.followers) {
            if (follower.leader == open[call])
              arguments.push_back("--other-state=" + std::to_string(follower.epochs) + ":" +
                                  learning_files(follower.index).state.string());
          }
          return place_.program->start(arguments, task.config.machine.threads, files);
        },
        [&](std::size_t call) { return turn_of(open[call]); },
        [&](std::size_t call, const std::string& line) { read_line(open[call], line); },
        [&](std::size_t call, const ProgramAnswer& answer) { finish_program(open[call], answer); });
  }

  /// Whether the outcome reaches the end of its task; then cuts off what comes after it.
  [[nodiscard]] bool ends(std::size_t index) {
    RehearsalOutcome& outcome = outcomes_[index];
    const bool is_there = is_enough(outcome.task, outcome.curve);
    if (is_there) {
      // Later epochs, and their failure, are ignored.
      outcome.ending = Ending::done;
      outcome.problems.clear();
    }
    return is_there || outcome.ending == Ending::diverged;
  }

  /// Whether there is a kept result for the task; then takes it as the outcome.
  bool is_known(std::size_t index) {
    std::optional<RehearsalEntry> entry = kept_entry(result_files(index).result);
    if (!entry) return false;
    take(outcomes_[index], std::move(*entry));
    outcomes_[index].origin = RehearsalOutcome::Origin::kept;
    return ends(index);
  }

  /// Another process may work on it, or may have finished it in the meantime.
  Turn turn_of(std::size_t index) {
    if (!place_.computes) {
      if (is_known(index)) {
        settle(index);
      } else {
        fail(index, Ending::failed, {"not rehearsed yet"});
      }
      return Turn::never;
    }
    if (place_.helpers) return turn_with_helpers(index);
    if (!locks_.try_take(known_[index].name())) return Turn::later;
    if (is_known(index)) {
      settle(index);
      locks_.release(known_[index].name());
      return Turn::never;
    }
    if (has_learned_more(index)) {
      locks_.release(known_[index].name());
      return Turn::never;  // it is timed afterwards
    }
    return Turn::start;
  }

  Turn turn_with_helpers(std::size_t index) {
    if (is_known(index)) {
      settle(index);
      return Turn::never;
    }
    if (has_learned_more(index)) return Turn::never;  // it is timed afterwards
    place_.helpers->check();
    return Turn::later;
  }

  [[nodiscard]] bool has_learned_more(std::size_t index) const {
    if (known_[index].learning.name.empty()) return false;
    const std::optional<LearningTrace> trace = kept_trace(learning_files(index).learning);
    return trace && (trace->diverged ||
                     static_cast<std::int64_t>(trace->curve.size()) > known_[index].learned_epochs);
  }

  /// The trace in a file; a damaged one is removed.
  [[nodiscard]] std::optional<LearningTrace> kept_trace(const fs::path& file) const {
    return kept([&] { return read_learning_trace(file); }, file);
  }
  /// The same of an entry.
  [[nodiscard]] std::optional<RehearsalEntry> kept_entry(const fs::path& file) const {
    return kept([&] { return read_entry(file); }, file);
  }

  template <typename Read>
  [[nodiscard]] auto kept(const Read& read, const fs::path& file) const -> decltype(read()) {
    try {
      return read();
    } catch (const std::runtime_error& error) {
      callbacks_.warning(std::string(error.what()) + "; rehearsing again");
      std::error_code ignored;
      fs::remove(file, ignored);
      return std::nullopt;
    }
  }

  void fail(std::size_t index, Ending ending, std::vector<std::string> problems) {
    outcomes_[index].ending = ending;
    outcomes_[index].problems = std::move(problems);
    settle(index);
  }

  void read_line(std::size_t index, const std::string& line) {
    const std::optional<ReportedEpoch> epoch =
        epoch_in(line, place_.program->path(), callbacks_.warning);
    if (!epoch) return;
    const CurvePoint& point = epoch->point;
    if (!epoch->is_known) ++outcomes_[index].learned_epochs;
    Curve& curve = outcomes_[index].curve;
    if (point.epoch == 1) curve.clear();
    if (point.epoch == static_cast<std::int64_t>(curve.size()) + 1) curve.push_back(point);
    shares_[index] = share_of(outcomes_[index].task, point);
    report_progress();
  }

  void finish_program(std::size_t index, const ProgramAnswer& answer) {
    outcomes_[index].origin = RehearsalOutcome::Origin::learned;
    const bool has_trace = answer.status.ending() == Ending::done ? take_result(index, answer.text)
                                                                  : take_failure(index, answer);
    hand_on_from(index);
    if (!has_trace || !known_[index].learning.follows_losses) settle(index);
    locks_.release(known_[index].name());
  }

  /// To all that begin like it.
  void hand_on_from(std::size_t index) const {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (i == index || known_[i].is_settled || known_[i].name() == known_[index].name()) continue;
      const std::int64_t common = common_epochs(known_[index].learning, known_[i].learning);
      if (common > 0) hand_on(learning_files(index), learning_files(i), common);
    }
  }

  /// Returns whether the task has a learning trace now.
  bool take_result(std::size_t index, const std::string& output) {
    RehearsalOutcome& outcome = outcomes_[index];
    const RehearsalFiles files = result_files(index);
    const std::string line = last_line(output);
    RehearsalEntry entry = entry_from_line(files.result, line);
    const Learned learned = learned_in(line);
    const bool has_trace = known_[index].learning.name.ends_with(learned.sequence);
    if (has_trace) {
      known_[index].learned_epochs = static_cast<std::int64_t>(entry.curve.size());
      write_trace(index, {.curve = entry.curve, .notes = learned.notes});
    }
    keep_entry(index, entry);
    take(outcome, std::move(entry));
    if (!is_enough(outcome.task, outcome.curve))
      throw RunError(files.result.string() + ": does not go as far as it should");
    std::error_code ignored;
    fs::remove(files.log, ignored);
    return has_trace;
  }

  /// But that of a job that follows losses, which is timed with those of its trace, here as on
  /// other clusters.
  void keep_entry(std::size_t index, const RehearsalEntry& entry) const {
    if (!known_[index].learning.follows_losses) write_entry(result_files(index).result, entry);
  }

  /// With what is known of the task.
  void write_trace(std::size_t index, LearningTrace trace) const {
    if (known_[index].learning.name.empty()) return;
    const JobConfig& config = outcomes_[index].task.config;
    trace.settings = learning_settings(config);
    trace.platform = known_[index].job->platform.name;
    write_learning_trace(learning_files(index).learning, trace);
  }

  /// The same for a failure.
  bool take_failure(std::size_t index, const ProgramAnswer& answer) {
    RehearsalOutcome& outcome = outcomes_[index];
    const RehearsalFiles files = result_files(index);
    outcome.ending = answer.status.ending();
    outcome.problems = problems_in(answer.messages);
    if (outcome.problems.empty()) {
      outcome.problems = {"the rehearsal " + answer.status.death()};
      if (!answer.messages.empty()) {
        replace_file(files.log, answer.messages);
        outcome.problems.front() += "; see " + files.log.string();
      }
    }
    if (outcome.ending != Ending::diverged) return false;
    // Kept, since it would diverge again.
    outcome.run.reset();  // the result of a shorter rehearsal does not apply
    keep_entry(index, {.curve = outcome.curve, .diverged = outcome.problems.front()});
    write_trace(index, {.curve = outcome.curve, .diverged = outcome.problems.front()});
    return !known_[index].learning.name.empty();
  }

  void settle(std::size_t index) {
    known_[index].is_settled = true;
    const RehearsalOutcome& outcome = outcomes_[index];
    std::error_code error;
    if (!outcome.curve.empty() && outcome.curve.back().epoch >= outcome.task.config.epochs)
      fs::remove(learning_files(index).state, error);
    shares_[index] = 1;
    report_progress();
  }

  void report_progress() const {
    double sum = 0;
    for (const double share : shares_) sum += share;
    callbacks_.share(shares_.empty() ? 1 : sum / static_cast<double>(shares_.size()));
  }

  const RehearsalPlace& place_;
  const Catalog& catalog_;
  const RehearsalCallbacks& callbacks_;
  SharedJobs jobs_;  ///< files are read once for all tasks that share them
  KeyedLocks locks_;
  std::vector<RehearsalOutcome> outcomes_;
  std::vector<Known> known_;    ///< by task
  std::vector<double> shares_;  ///< done, by task
};

}  // namespace

std::vector<RehearsalOutcome> rehearse_all(const std::vector<RehearsalTask>& tasks,
                                           const RehearsalPlace& place,
                                           const Catalog& catalog,
                                           const RehearsalCallbacks& callbacks) {
  return Runner(tasks, place, catalog, callbacks).run();
}

}  // namespace epochcast
