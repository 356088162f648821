// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/process/diverged.hpp"
#include "base/text/units.hpp"
#include "real/torch/device_precision.hpp"
#include "real/torch/learning_curve.hpp"
#include "real/torch/training_learner.hpp"
#include "real/torch/training_setup.hpp"
#include "rehearse/rehearsal_learner.hpp"
#include "rehearse/rehearsal_state.hpp"
#include "sim/simulated_job.hpp"
#include "strategies/settings.hpp"
#include "strategies/summary.hpp"

namespace epochcast {
namespace {

constexpr int kStackKib = 8192;  // LibTorch's own threads have as much

/// Ends a job before its last epoch.
class StopTraining : public std::exception {};

/// Throws if tests lack the metric of the target.
void check_target(const LearningTarget& target,
                  real::TrainingLearner& learner,
                  const real::DataSplit& data) {
  const bool are_tokens = data.train->targets().kind == TargetKind::tokens;
  const bool are_classified = !std::isnan(learner.test(*data.train, 0, 1).correct);
  const bool has_metric = target.metric == Metric::perplexity ? are_tokens
                          : target.metric == Metric::accuracy ? are_classified
                                                              : true;
  if (has_metric) return;
  std::string expected = "--target-loss";
  if (are_classified) expected = "--target-accuracy or " + expected;
  if (are_tokens) expected = "--target-perplexity or " + expected;
  throw UserError("--target-" + std::string(to_string(target.metric)) + ": tests of this model " +
                  "on such data have no such metric; expected " + expected);
}

/// The job with the number of samples that are trained on.
Job sized(Job job, const real::DataSplit& data) {
  job.dataset.train_samples = data.train->size();
  return job;
}

/// The precision of numbers. With float16, workers that update parts of the parameters agree on
/// skipped steps by an exchange, which the learner of times does not have.
real::DevicePrecision precision_of(const sim::SimulatedJob& simulated, const std::string& device) {
  const Job& job = simulated.job();
  const Precision wanted = job.chosen_precision().value_or(Precision::float32);
  const bool has_parts =
      simulated.state_shares().optimizer < 1 || job.config.overlap == Overlap::dear;
  if (wanted == Precision::float16 && has_parts)
    return {.precision = Precision::float32,
            .note =
                "numbers were computed in float32: in float16, workers that update parts of "
                "the parameters would exchange which steps they skip"};
  return real::rehearsed_precision(wanted, device);
}

class RehearsalRun {
 public:
  RehearsalRun(const Job& job,
               const real::DataSplit& data,
               const std::string& device,
               int threads,
               const RehearsalOptions& options)
      : simulated_(sized(job, data), job.config.strategy, true),
        config_(simulated_.job().config),
        data_(data),
        device_(device),
        precision_(precision_of(simulated_, device)),
        threads_(threads),
        options_(options),
        workers_(simulated_.workers().size()),
        reports_(workers_),
        draw_(simulated_.draw()) {}

  Rehearsal run() {
    Rehearsal rehearsal = {.result = simulated_.result(Command::rehearse)};
    load_state();
    simulated_.run(
        [&] {
          dry_run();
          train();
        },
        kStackKib);
    rehearsal.curve = curve_;
    fill(rehearsal.result);
    return rehearsal;
  }

 private:
  using Program = std::function<void(Fabric&)>;

  std::vector<SettingText> setting_texts_of() const {
    return all_settings().texts(config_, in(Command::rehearse));
  }

  /// A state that cannot be read is computed again.
  void load_state() {
    if (options_.state.empty()) return;
    try {
      state_ = load_rehearsal_state(options_.state, setting_texts_of(), workers_);
    } catch (const std::runtime_error& error) {
      if (options_.warn)
        options_.warn(std::string(error.what()) + "; rehearsing from the beginning");
    }
  }

  [[nodiscard]] bool has_ended() const {
    const bool is_reached = options_.stop_at && options_.stop_at->is_met(curve_.back());
    return is_reached || curve_.back().epoch >= config_.epochs;
  }
  [[nodiscard]] bool has_stopped() const {
    return options_.stop_after_s && curve_.back().training_s >= *options_.stop_after_s;
  }

  /// A pass without numbers, which takes almost no time: learns the cost of collectives, and
  /// whether they may be replayed, before training begins.
  void dry_run() {
    const sim::PassOptions pass = {.is_noisy = draw_.seed.has_value()};
    const Program program = [&](Fabric& fabric) {
      CostLearner time = simulated_.learner(fabric, draw_);
      Worker worker = simulated_.worker(fabric, time);
      worker.after_epoch = [](std::int64_t) {};
      simulated_.strategy().run(worker);
    };
    while (!simulated_.runtime().run_pass(program, pass)) {
    }
  }

  void train() {
    const sim::PassOptions pass = {.is_noisy = draw_.seed.has_value()};
    const Program program = [&](Fabric& fabric) { train_worker(fabric); };
    try {
      if (!simulated_.runtime().run_pass(program, pass))
        throw std::logic_error("a collective cost something else than in the dry run");
    } catch (const StopTraining&) {
    }
  }

  /// Epochs with known numbers are simulated, too: the time of a later epoch depends, in its last
  /// digit, on its start.
  void train_worker(Fabric& fabric) {
    const auto rank = static_cast<std::size_t>(fabric.rank());
    CostLearner time = simulated_.learner(fabric, draw_);
    real::LearnerSettings settings = real::learner_settings(config_, precision_.precision);
    settings.shares_process = true;
    const auto numbers =
        real::make_torch_learner(fabric, *data_.train, settings, device_, threads_);
    if (rank == 0 && options_.stop_at) check_target(*options_.stop_at, *numbers, data_);
    if (numbers->pretrained()) start_note_ = numbers->pretrained()->note;
    RehearsalLearner learner(*numbers, time);
    learner.compute(state_.curve.empty());
    if (!state_.curve.empty()) learner.know_loss(state_.curve.front().train_loss);
    Worker worker = simulated_.worker(fabric, learner);
    real::LearningCurve curve(worker, *numbers, *data_.test);
    worker.after_epoch = [&](std::int64_t epoch) {
      const auto index = static_cast<std::size_t>(epoch);
      const bool is_known = index < state_.curve.size();
      const CurvePoint point =
          is_known ? known_epoch(curve, state_.curve[index]) : curve.after_epoch(epoch);
      reports_[rank] = worker.report;
      if (index + 1 == state_.curve.size()) {
        resume(*numbers, worker, rank);
        learner.compute(true);
      }
      if (index + 1 < state_.curve.size()) learner.know_loss(state_.curve[index + 1].train_loss);
      if (!is_known && saves(point)) {
        next_.learners.resize(workers_);
        next_.learners[rank] = numbers->save();
        if (worker.compression) {
          next_.compressions.resize(workers_);
          next_.compressions[rank] = worker.compression->save();
        }
        if (std::string kept = worker.kept.save(); !kept.empty()) {
          next_.kept.resize(workers_);
          next_.kept[rank] = std::move(kept);
        }
      }
      close_epoch(worker, point, is_known);
    };
    simulated_.strategy().run(worker);
    reports_[rank] = worker.report;
  }

  CurvePoint known_epoch(real::LearningCurve& curve, const CurvePoint& known) const {
    try {
      curve.after_known_epoch(known);
    } catch (const RunError& error) {
      throw unusable(error);
    }
    return known;
  }

  void resume(real::TrainingLearner& numbers, Worker& worker, std::size_t rank) {
    try {
      numbers.load(std::exchange(state_.learners[rank], {}));
      if (worker.compression != nullptr && !state_.compressions.empty())
        worker.compression->load(std::exchange(state_.compressions[rank], {}));
      worker.kept.load(state_.kept.empty() ? std::string() : std::exchange(state_.kept[rank], {}));
    } catch (const RunError& error) {
      throw unusable(error);
    }
  }

  [[nodiscard]] RunError unusable(const RunError& error) const {
    return RunError(options_.state.string() + ": " + error.what() +
                    "; remove the file to rehearse from the beginning");
  }

  /// Not after the last epoch, from which no training continues.
  [[nodiscard]] bool saves(const CurvePoint& point) const {
    return !options_.state.empty() && point.epoch < config_.epochs;
  }

  /// Called by all workers after an epoch; the last call closes it.
  void close_epoch(Worker& worker, const CurvePoint& point, bool is_known) {
    if (++finished_ < workers_) {
      // Workers may train on only after the epoch is closed, which may end the job.
      worker.fabric.barrier(worker.fabric.world());
      return;
    }
    finished_ = 0;
    if (!std::isfinite(point.test_loss))
      throw Diverged("the loss is " +
                     std::string(std::isnan(point.test_loss) ? "nan" : "infinite") +
                     " on the test samples after epoch " + std::to_string(point.epoch) +
                     "; lower --learning-rate or check the data");
    curve_.push_back(point);
    if (!is_known && saves(point)) {
      next_.curve = curve_;
      save_rehearsal_state(options_.state, setting_texts_of(), next_);
      next_.learners.clear();  // as large as the models themselves
      next_.compressions.clear();
      next_.kept.clear();
    }
    if (options_.after_epoch) options_.after_epoch(point);
    if (has_ended() || has_stopped()) throw StopTraining();
    worker.fabric.barrier(worker.fabric.world());
  }

  void fill(RunResult& result) const {
    result.epochs = reports_.front().epochs;
    result.iterations_per_epoch = reports_.front().iterations_per_epoch;
    result.rounds_per_epoch = reports_.front().rounds_per_epoch;
    add_reports(result, simulated_.workers(), reports_, 1);
    sim::add_notes(
        result, simulated_.workers(), reports_, simulated_.costs(), simulated_.job().config);
    add_asynchrony_note(result);
    const Job& job = simulated_.job();
    if (const std::string note = class_note(job.network, job.dataset); !note.empty())
      result.notes.push_back(note);
    result.notes.push_back("data: " + data_.title);
    for (const std::string& note : {precision_.note, start_note_})
      if (!note.empty()) result.notes.push_back(note);
  }

  sim::SimulatedJob simulated_;
  const JobConfig& config_;
  const real::DataSplit& data_;
  std::string device_;
  real::DevicePrecision precision_;  ///< of numbers
  int threads_;
  const RehearsalOptions& options_;
  std::size_t workers_;
  std::vector<WorkerReport> reports_;
  CostDraw draw_;
  RehearsalState state_;  ///< where this rehearsal began
  RehearsalState next_;
  Curve curve_;
  std::string start_note_;    ///< about the initial parameters; empty: random
  std::size_t finished_ = 0;  ///< workers that have finished the current epoch
};

}  // namespace

Rehearsal rehearse(const Job& job,
                   const real::DataSplit& data,
                   const std::string& device,
                   int threads,
                   const RehearsalOptions& options) {
  check_computes(find_strategy(job.config.strategy));
  return RehearsalRun(job, data, device, threads, options).run();
}

}  // namespace epochcast
