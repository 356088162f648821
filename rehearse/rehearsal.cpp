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
#include "real/torch/learning_curve.hpp"
#include "real/torch/training_learner.hpp"
#include "real/torch/training_setup.hpp"
#include "rehearse/numbers_fabric.hpp"
#include "rehearse/rehearsal_learner.hpp"
#include "rehearse/rehearsal_state.hpp"
#include "rehearse/time/learning_settings.hpp"
#include "rehearse/time/rehearsed_time.hpp"
#include "sim/simulated_job.hpp"

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
        precision_(precision_of_numbers(simulated_)),
        threads_(threads),
        options_(options),
        batch_threads_(options.batches_at_a_time, [threads] { real::begin_thread(threads); }),
        workers_(simulated_.workers().size()),
        reports_(workers_),
        draw_(simulated_.draw()) {}

  Rehearsal run() {
    load_state();
    simulated_.run(
        [&] {
          time_.emplace(simulated_);
          time_state();
          train();
        },
        kStackKib);
    std::vector<std::string> notes = {"data: " + data_.title};
    for (const std::string& note : {precision_.note, start_note_})
      if (!note.empty()) notes.push_back(note);
    const bool is_timed = has_own_times();
    return {.result = rehearsed_result(
                simulated_,
                is_timed ? time_->reports(static_cast<std::int64_t>(curve_.size())) : reports_,
                notes),
            .curve = curve_,
            .sequence = time_->sequence(),
            .notes = notes};
  }

 private:
  using Program = std::function<void(Fabric&)>;

  std::vector<SettingText> setting_texts_of() const { return learning_settings(config_); }

  /// Whether the pass without numbers has the times of this job: else they depend on the clock
  /// while it learns.
  [[nodiscard]] bool has_own_times() const {
    return time_->reason_to_learn_anew().empty() && !time_->follows_losses();
  }
  [[nodiscard]] CurvePoint timed(const CurvePoint& point) const {
    return has_own_times() ? time_->timed(point) : point;
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

  /// Times of a state may be those of another cluster, or of another job that begins alike.
  void time_state() {
    if (!time_->reason_to_learn_anew().empty() || state_.curve.empty()) return;
    std::optional<RehearsedTime> with_losses;
    if (time_->follows_losses()) with_losses.emplace(simulated_, state_.curve);
    for (CurvePoint& point : state_.curve)
      point = (with_losses ? *with_losses : *time_).timed(point);
  }

  [[nodiscard]] bool has_ended() const {
    const bool is_reached = options_.stop_at && options_.stop_at->is_met(curve_.back());
    return is_reached || curve_.back().epoch >= config_.epochs;
  }
  [[nodiscard]] bool has_stopped() const {
    return options_.stop_after_s && curve_.back().training_s >= *options_.stop_after_s;
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
    NumbersFabric timeless(fabric);
    const auto numbers =
        real::make_torch_learner(timeless, *data_.train, settings, device_, threads_);
    if (rank == 0 && options_.stop_at) check_target(*options_.stop_at, *numbers, data_);
    if (numbers->pretrained()) start_note_ = numbers->pretrained()->note;
    RehearsalLearner learner(*numbers, time, [&](std::function<void()> work) {
      return numbers->is_independent() ? batch_threads_.start(std::move(work))
                                       : BatchThreads::start_here(work);
    });
    learner.compute(state_.curve.empty());
    if (!state_.curve.empty()) learner.know_loss(state_.curve.front().train_loss);
    Worker worker = simulated_.worker(fabric, learner);
    real::LearningCurve curve(worker, *numbers, *data_.test);
    worker.after_epoch = [&](std::int64_t epoch) {
      const auto index = static_cast<std::size_t>(epoch);
      const bool is_known = index < state_.curve.size();
      const CurvePoint point =
          is_known ? known_epoch(curve, state_.curve[index]) : timed(curve.after_epoch(epoch));
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
      for (const auto& [epoch, file] : options_.other_states)
        if (epoch == point.epoch) save_rehearsal_state(file, setting_texts_of(), next_);
      next_.learners.clear();  // as large as the models themselves
      next_.compressions.clear();
      next_.kept.clear();
    }
    if (options_.after_epoch) options_.after_epoch(point, is_known);
    if (has_ended() || has_stopped()) throw StopTraining();
    worker.fabric.barrier(worker.fabric.world());
  }

  sim::SimulatedJob simulated_;
  const JobConfig& config_;
  const real::DataSplit& data_;
  std::string device_;
  DevicePrecision precision_;  ///< of numbers
  int threads_;
  const RehearsalOptions& options_;
  BatchThreads batch_threads_;
  std::size_t workers_;
  std::vector<WorkerReport> reports_;
  CostDraw draw_;
  std::optional<RehearsedTime> time_;
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
