// SPDX-License-Identifier: Apache-2.0
#include "real/run/train_job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/line_file.hpp"
#include "base/machine.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/progress_bar.hpp"
#include "collectives/registry.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/device_precision.hpp"
#include "core/job/setting_text.hpp"
#include "real/data/content_mark.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"
#include "real/run/checkpoint.hpp"
#include "real/run/epoch_pictures.hpp"
#include "real/run/exchange_timer.hpp"
#include "real/run/job_report.hpp"
#include "real/run/process_group.hpp"
#include "real/torch/learning_curve.hpp"
#include "real/torch/training_learner.hpp"
#include "real/torch/training_setup.hpp"
#include "strategies/server_settings.hpp"
#include "strategies/settings.hpp"

namespace epochcast::real {
namespace {

/// The training of one rank: the strategy, with outputs and checkpoints after its epochs.
class TrainingRun {
 public:
  TrainingRun(const JobConfig& config,
              const RunOptions& options,
              const DataSplit& data,
              const Strategy& strategy,
              const OwnDevice& device,
              Precision precision,
              ProcessGroup group)
      : config_(config),
        options_(options),
        data_(data),
        strategy_(strategy),
        group_(std::move(group)),
        fabric_(group_.workers,
                {.algorithm = config.all_reduce, .servers = {}},
                options.timeline.empty() ? nullptr : &timeline_,
                group_.comm,
                device.info.device_class == "cpu" ? Cores::computing : Cores::idle),
        learner_(make_torch_learner(fabric_,
                                    *data.train,
                                    learner_settings(config, precision),
                                    device.device == "server" ? "cpu" : device.device,
                                    config.machine.threads,
                                    pace_of(device, config.machine))),
        worker_({.fabric = fabric_,
                 .learner = *learner_,
                 .sampling = *learner_,
                 .config = config,
                 .train_samples = data.train->size()}),
        curve_(worker_, *learner_, *data.test),
        progress_(
            std::cerr, options.has_bar, "training, epochs", static_cast<double>(config.epochs)) {}

  std::optional<TrainingOutcome> run(RunResult result) {
    if (is_first()) try_outputs();
    if (const auto& start = learner_->pretrained()) {
      progress_.say(start->note);
      result.notes.push_back(start->note);
    }
    const WorkerInfo& self = group_.workers[static_cast<std::size_t>(fabric_.rank())];
    if (self.role == Role::trains) learner_->warm_up(config_.batch);
    const bool times_batches = self.role == Role::trains && options_.times_batches;
    if (!options_.checkpoint.empty()) open_checkpoints();
    if (options_.pause_after > 0)
      worker_.pause_after = resumed_at_.value_or(0) + options_.pause_after;
    if (is_first() && metrics_file_.is_wanted()) {
      metrics_.emplace(metrics_file_,
                       resumed_at_ ? LineFile::Start::after_older_lines : LineFile::Start::empty);
    }
    worker_.progress.after_iteration = [this] { after_iteration(); };
    worker_.after_epoch = [this](std::int64_t epoch) { after_epoch(epoch); };
    ExchangeTimer exchange_timer(fabric_, options_);
    exchange_timer.before();
    TimedRank timed;
    if (times_batches) timed.before_s = batch_s();
    strategy_.run(worker_);
    if (times_batches) timed.after_s = batch_s();
    exchange_timer.after();
    worker_.progress.finish();
    if (worker_.pause_after.value_or(config_.epochs) < config_.epochs) return std::nullopt;
    if (!options_.timeline.empty())
      collect_timeline(timeline_, group_.workers, title(), timeline_file_, group_.comm);
    result.notes.insert(result.notes.end(), options_.history.begin(), options_.history.end());
    if (resumed_at_) {
      result.notes.push_back("resumed in epoch " + std::to_string(*resumed_at_ + 1) +
                             "; times are of the epochs run since, from start to end");
    }
    const std::int64_t exchanges = worker_.report.rounds_per_epoch * config_.epochs;
    if (const std::string note = warm_up_note(config_, exchanges); !note.empty())
      result.notes.push_back(note);
    std::optional<RunResult> collected =
        collect_result(std::move(result), group_.workers, worker_.report, epochs_s_, group_.comm);
    std::vector<TimedRank> all_timed = gathered(timed);
    if (!collected) return std::nullopt;
    collected->timed_batches = std::move(all_timed);
    collected->timed_exchanges = exchange_timer.timed();
    return TrainingOutcome{.run = std::move(*collected), .curve = std::move(learned_)};
  }

 private:
  /// The times of all ranks that train, on the first one. Collective.
  [[nodiscard]] std::vector<TimedRank> gathered(TimedRank own) const {
    if (!options_.times_batches) return {};
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &own.rank), "MPI_Comm_rank");
    std::vector<TimedRank> all;
    for (const std::string& text : gather_texts(to_json(own).dump(), 0, group_.comm)) {
      TimedRank timed = timed_rank_from_json(nlohmann::ordered_json::parse(text));
      if (timed.before_s > 0) all.push_back(timed);
    }
    return all;
  }

  /// Seconds of a batch now, from several successive ones without effect on training.
  [[nodiscard]] double batch_s() {
    return median_of(learner_->timed_batches(config_.step_batch()));
  }
  [[nodiscard]] bool is_first() const { return fabric_.rank() == 0; }
  [[nodiscard]] std::string title() const {
    return std::string(strategy_.name) + ", " + network_name(config_.network) + " on " +
           (config_.dataset.empty() ? config_.learning.data : config_.dataset);
  }

  /// The pace of this rank. If other ranks are slowed, ranks at full speed compute before training,
  /// too, so slowed ranks measure their examples under the same load as in training.
  static Pace pace_of(const OwnDevice& device, const MachineConfig& machine) {
    if (machine.slow_down.empty()) return {};
    return SlowDevice(device.slow_down);
  }

  /// The job's settings, and checksums of files named there, read by the first rank. Collective.
  [[nodiscard]] std::vector<SettingText> settings_and_contents() const {
    std::vector<SettingText> settings = all_settings().texts(config_, kTrain);
    for (SettingText& setting : settings) {
      const std::string checksum =
          broadcast_text(is_first() ? content_of(setting) : "", 0, group_.comm);
      if (!checksum.empty()) setting.value += " (checksum " + checksum + ")";
    }
    return settings;
  }
  /// A checksum of the file that the setting names; empty if it names none.
  [[nodiscard]] std::string content_of(const SettingText& setting) const {
    const auto& start = learner_->pretrained();
    if (setting.name == "pretrained" && start) return start->checksum;
    if (setting.name == "network" && is_model_file(config_.network))
      return checksum_of_file(config_.network, kDataFile);
    const std::string data = chosen_data(config_);
    const bool is_data = setting.name == "data" || setting.name == "dataset";
    return is_data && setting.value == data && data != "procedural" ? content_mark(*data_.train)
                                                                    : "";
  }

  void open_checkpoints() {
    std::vector<SettingText> settings = settings_and_contents();
    std::vector<int> numbers;
    for (const Member& member : options_.members) numbers.push_back(member.number);
    checkpoints_.emplace(options_.checkpoint,
                         std::move(settings),
                         std::move(numbers),
                         options_.continues,
                         group_.comm);
    checkpoints_->open(options_.is_resumed);
    if (is_first() && !checkpoints_->is_locked()) {
      progress_.say(checkpoints_->folder().string() +
                    ": its file system has no locks: let no other job write there");
    }
    if (!options_.is_resumed) return;
    std::optional<RankState> state = checkpoints_->load();
    if (!state) {
      if (is_first())
        progress_.say("no checkpoint in " + checkpoints_->folder().string() +
                      " yet: starting at the beginning");
      return;
    }
    resumed_at_ = state->position.at(1);
    const std::string file = checkpoints_->state_file().string();
    if (*resumed_at_ > config_.epochs) {
      throw UserError("--epochs: got " + std::to_string(config_.epochs) + "; " + file +
                      " stands after " + std::to_string(*resumed_at_));
    }
    if (is_first()) progress_.say("resuming in epoch " + std::to_string(*resumed_at_ + 1));
    worker_.progress.memory = {state->memory.begin(), state->memory.end()};
    worker_.progress.resume_at(std::move(state->position), file);
    worker_.progress.reached = [this, file, saved = std::move(*state)] {
      try {
        checkpoints_->has_joined() ? learner_->join(saved.learner) : learner_->load(saved.learner);
        if (worker_.compression) worker_.compression->load(saved.compression);
        worker_.kept.load(saved.kept);
      } catch (const RunError& error) {
        throw RunError(file + ": " + error.what());
      }
    };
  }

  void try_outputs() {
    timeline_file_ = OutputFile(options_.timeline);
    metrics_file_ = OutputFile(options_.metrics);
    keep_apart({timeline_file_, metrics_file_}, options_.inputs);
    if (!options_.images.empty())
      pictures_.emplace(options_.images, *learner_, data_.train->classes(), options_.inputs);
  }

  void after_iteration() {
    ++iterations_;
    if (is_first() && options_.has_bar) {
      const Score score = learner_->trained();
      std::string seen;
      if (score.samples > 0)
        seen = "loss " + fmt::format("{:.4f}", score.loss_sum / score.samples) + ", ";
      if (score.correct > 0)
        seen += "accuracy " + format_percent(score.correct / score.samples, 2) + ", ";
      const auto epoch = static_cast<double>(worker_.progress.position().at(1));
      progress_.update(epoch + learner_->epoch_share(), seen);
    }
    if (checkpoints_ && options_.checkpoint_every > 0 &&
        iterations_ % options_.checkpoint_every == 0) {
      save(worker_.progress.position());
    }
  }

  void save(std::vector<std::int64_t> position) {
    checkpoints_->save(
        {.position = std::move(position),
         .memory = {worker_.progress.memory.begin(), worker_.progress.memory.end()},
         .learner = learner_->save(),
         .compression = worker_.compression ? worker_.compression->save() : std::string(),
         .kept = worker_.kept.save()});
  }

  void after_epoch(std::int64_t epoch) {
    const CurvePoint point = curve_.after_epoch(epoch);
    if (point.epoch_s) epochs_s_.push_back(*point.epoch_s);
    if (pictures_) pictures_->write(point.epoch);
    if (is_first()) show(point);
    learned_.push_back(point);
    if (checkpoints_) {
      std::vector<std::int64_t> position = worker_.progress.position();
      position.at(1) = epoch + 1;
      save(std::move(position));
    }
  }

  void show(const CurvePoint& point) {
    if (metrics_) metrics_->add(to_json(point).dump());
    progress_.say(text_of(point, config_.epochs));
  }

  const JobConfig& config_;
  const RunOptions& options_;
  const DataSplit& data_;
  const Strategy& strategy_;
  ProcessGroup group_;
  Timeline timeline_;
  MpiFabric fabric_;
  std::unique_ptr<TrainingLearner> learner_;
  Worker worker_;
  LearningCurve curve_;
  ProgressBar progress_;
  std::optional<Checkpoints> checkpoints_;
  std::optional<std::int64_t> resumed_at_;
  OutputFile timeline_file_;
  OutputFile metrics_file_;
  std::optional<LineFile> metrics_;
  std::optional<EpochPictures> pictures_;  ///< of the first rank
  std::int64_t iterations_ = 0;
  std::vector<double> epochs_s_;
  Curve learned_;
};

Precision wanted_precision(const JobConfig& config) {
  return config.precision.value_or(Precision::float32);
}

/// The precision in which this rank computes. Servers only add.
DevicePrecision own_precision(const JobConfig& config,
                              const OwnDevice& device,
                              const ProcessGroup& group) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(group.comm, &rank), "MPI_Comm_rank");
  if (group.workers[static_cast<std::size_t>(rank)].role == Role::sums) return {};
  return device_precision(wanted_precision(config), device.device);
}

/// The precision of the job: tf32 is named float32 if no rank has it. Collective.
Precision precision_of_job(const JobConfig& config, Precision own, const ProcessGroup& group) {
  const Precision wanted = wanted_precision(config);
  const std::vector<std::string> all = all_gather_texts(show_name(own, kPrecisions), group.comm);
  const bool is_there =
      std::find(all.begin(), all.end(), show_name(wanted, kPrecisions)) != all.end();
  return is_there ? wanted : Precision::float32;
}

/// The notes of all ranks, on the first one. Collective.
std::set<std::string> notes_of(const DevicePrecision& own, const ProcessGroup& group) {
  const std::vector<std::string> all = gather_texts(own.note, 0, group.comm);
  std::set<std::string> notes(all.begin(), all.end());
  notes.erase("");
  return notes;
}

/// Seconds of a batch, measured by this rank alone.
double batch_seconds(const JobConfig& config, const DataSplit& data, const OwnDevice& device) {
  MpiFabric alone({WorkerInfo{}}, {.algorithm = "ring", .servers = {}}, nullptr, MPI_COMM_SELF);
  const Precision precision = device_precision(wanted_precision(config), device.device).precision;
  LearnerSettings settings = learner_settings(config, precision);
  settings.pretrained.clear();  // the time does not depend on weights
  const auto learner =
      make_torch_learner(alone, *data.train, settings, device.device, config.machine.threads);
  return device.slow_down * learner->benchmark(config.step_batch());
}

}  // namespace

std::optional<TrainingOutcome> train(const JobConfig& config,
                                     const Catalog& catalog,
                                     const RunOptions& options) {
  const Dataset dataset = training_dataset(config, catalog);
  const Strategy& strategy = find_strategy(config.strategy);
  check_computes(strategy);
  check_overlap(config, strategy);
  check_all_reduce(config.all_reduce);
  check_compression(config, strategy);
  const DataSplit data = training_data(config, dataset);
  if (options.continues) check_can_lose_workers(strategy);
  const OwnDevice device =
      own_device(config.machine, options.members, [&](const std::string& name) {
        return torch_device_model(name, config.machine.threads);
      });
  const ProcessGroup group =
      assemble(device.info, config.strategy, strategy.participants, server_choice(config), [&] {
        return batch_seconds(config, data, device);
      });
  if (!group.takes_part()) return std::nullopt;
  const DevicePrecision precision = own_precision(config, device, group);
  JobConfig job = config;
  job.precision = precision_of_job(config, precision.precision, group);
  use_usual_period(job,
                   strategy,
                   data.train->size(),
                   std::ranges::count(group.workers, Role::trains, &WorkerInfo::role));
  if (strategy.check != nullptr) strategy.check(job, DeviceNames(group.workers));

  RunResult result;
  result.strategy = config.strategy;
  result.platform = machine_text();
  result.network = network_name(config.network);
  result.dataset = dataset.name;
  result.train_samples = data.train->size();
  result.batch = config.batch;
  result.input_grade = Grade::measured;
  result.config = all_settings().texts(job, kTrain);
  result.notes.push_back("data: " + data.title);
  if (!config.machine.slow_down.empty())
    result.notes.emplace_back(
        "slower devices were emulated: batches slept for the rest of their time");
  for (const std::string& note : notes_of(precision, group)) result.notes.push_back(note);
  TrainingRun run(job, options, data, strategy, device, precision.precision, group);
  return run.run(std::move(result));
}

}  // namespace epochcast::real
