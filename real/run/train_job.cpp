// SPDX-License-Identifier: Apache-2.0
#include "real/run/train_job.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/progress_bar.hpp"
#include "collectives/registry.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"
#include "real/common/machine.hpp"
#include "real/mpi/mpi_fabric.hpp"
#include "real/run/checkpoint.hpp"
#include "real/run/crew.hpp"
#include "real/run/job_report.hpp"
#include "real/run/limited_source.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/training_learner.hpp"
#include "strategies/training.hpp"

namespace epochcast::real {
namespace {

void require_known(const std::string& what,
                   const std::string& name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UserError("--" + what + ": " + unknown_name(what, name, known));
}

Dataset dataset_of(const JobConfig& config, const Catalog& catalog) {
  if (config.dataset.empty())
    throw UserError("--dataset: missing; `epochcast list datasets` shows what there is");
  if (config.network.empty())
    throw UserError("--network: missing; `epochcast list networks` shows what there is");
  require_known("network", config.network, network_names());
  require_known("optimizer", config.learning.optimizer, optimizer_names());
  return load_dataset(catalog.find("models/datasets", config.dataset, "--dataset"));
}

/// Leaves the first `count` samples, where that is given.
void limit(std::unique_ptr<DataSource>& source,
           const std::optional<std::int64_t>& count,
           const char* setting) {
  if (!count) return;
  if (*count > source->size()) {
    throw UserError(std::string(setting) + ": got " + std::to_string(*count) + "; the data has " +
                    std::to_string(source->size()));
  }
  source = std::make_unique<LimitedSource>(std::move(source), *count);
}

DataSplit data_of(const JobConfig& config, const Dataset& dataset) {
  if (config.learning.data.empty()) {
    throw UserError("--data: missing; expected the folder that holds " + dataset.name +
                    ", or \"procedural\" for computed samples of its shape");
  }
  DataSplit split = config.learning.data == "procedural" ? procedural_data(dataset, config.seed)
                                                         : open_data(dataset, config.learning.data);
  limit(split.train, config.learning.train_samples, "--train-samples");
  limit(split.test, config.learning.test_samples, "--test-samples");
  return split;
}

LearnerSettings learner_settings(const JobConfig& config) {
  LearnerSettings settings = {
      .network = config.network,
      .optimizer = {.name = config.learning.optimizer,
                    .momentum = config.learning.momentum,
                    .weight_decay = config.learning.weight_decay},
      .learning_rate = config.learning.rate,
      .augment = config.learning.augment,
      .first_bucket_bytes = config.first_bucket_bytes,
      .bucket_bytes = config.bucket_bytes,
      .seed = config.seed,
  };
  settings.learning_rate.epochs = config.epochs;
  return settings;
}

std::string percent(double share) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.2f %%", 100 * share);
  return text.data();
}

std::string number(double value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%.4f", value);
  return text.data();
}

/// One rank's training: the strategy, and what surrounds its epochs.
class TrainingRun {
 public:
  TrainingRun(const JobConfig& config,
              const RunOptions& options,
              const DataSplit& data,
              const Strategy& strategy,
              const OwnDevice& device,
              Crew crew)
      : config_(config),
        options_(options),
        data_(data),
        strategy_(strategy),
        crew_(std::move(crew)),
        fabric_(crew_.workers,
                {.algorithm = config.all_reduce, .servers = {}},
                options.timeline.empty() ? nullptr : &timeline_,
                crew_.comm),
        learner_(make_torch_learner(fabric_,
                                    *data.train,
                                    learner_settings(config),
                                    device.device == "server" ? "cpu" : device.device,
                                    config.machine.threads,
                                    pace_of(device))),
        worker_({.fabric = fabric_,
                 .learner = *learner_,
                 .config = config,
                 .train_samples = data.train->size()}),
        progress_(
            std::cerr, options.has_bar, "training, epochs", static_cast<double>(config.epochs)) {}

  std::optional<RunResult> run(RunResult result) {
    if (!options_.checkpoint.empty()) open_checkpoints();
    if (is_first() && !options_.metrics.empty()) open_metrics();
    worker_.progress.after_iteration = [this] { after_iteration(); };
    worker_.after_epoch = [this](std::int64_t epoch) { after_epoch(epoch); };
    strategy_.run(worker_);
    if (!options_.timeline.empty())
      collect_timeline(timeline_, crew_.workers, title(), options_.timeline, crew_.comm);
    if (resumed_at_) {
      result.notes.push_back("resumed in epoch " + std::to_string(*resumed_at_ + 1) +
                             "; times are of the epochs run since, from start to end");
    }
    return collect_result(std::move(result), crew_.workers, worker_.report, epochs_s_, crew_.comm);
  }

 private:
  [[nodiscard]] bool is_first() const { return fabric_.rank() == 0; }
  [[nodiscard]] std::string title() const {
    return std::string(strategy_.name) + ", " + config_.network + " on " + config_.dataset;
  }

  static Pace pace_of(const OwnDevice& device) {
    if (device.slow_down <= 1) return {};
    return [factor = device.slow_down](double real_s, std::string_view) {
      return (factor - 1) * real_s;
    };
  }

  void open_checkpoints() {
    std::vector<SettingText> settings = setting_texts(config_, kTrain);
    checkpoints_.emplace(options_.checkpoint, std::move(settings), crew_.comm);
    checkpoints_->open(options_.is_resumed);
    if (!options_.is_resumed) return;
    std::optional<RankState> state = checkpoints_->load();
    if (!state) {
      if (is_first())
        progress_.say("no checkpoint in " + checkpoints_->folder().string() +
                      " yet: starting at the beginning");
      return;
    }
    resumed_at_ = state->position.at(1);
    if (is_first()) progress_.say("resuming in epoch " + std::to_string(*resumed_at_ + 1));
    worker_.progress.memory = std::move(state->memory);
    worker_.progress.resume_at(std::move(state->position));
    worker_.progress.reached = [this, bytes = std::move(state->learner)] {
      try {
        learner_->load(bytes);
      } catch (const RunError& error) {
        throw RunError(checkpoints_->folder().string() + ": rank " +
                       std::to_string(fabric_.rank()) + ": " + error.what());
      }
    };
  }

  void open_metrics() {
    metrics_.open(options_.metrics, resumed_at_ ? std::ios::app : std::ios::trunc);
    if (!metrics_) throw RunError(options_.metrics.string() + ": cannot be written");
  }

  void after_iteration() {
    ++iterations_;
    if (is_first() && options_.has_bar) {
      const Score score = learner_->trained();
      std::string seen;
      if (score.samples > 0) seen = "loss " + number(score.loss_sum / score.samples) + ", ";
      if (score.correct > 0) seen += "accuracy " + percent(score.correct / score.samples) + ", ";
      const auto epoch = static_cast<double>(worker_.progress.position().at(1));
      progress_.update(epoch + learner_->epoch_share(), seen);
    }
    if (checkpoints_ && options_.checkpoint_every > 0 &&
        iterations_ % options_.checkpoint_every == 0) {
      save(worker_.progress.position());
    }
  }

  void save(std::vector<std::int64_t> position) {
    checkpoints_->save({.position = std::move(position),
                        .memory = worker_.progress.memory,
                        .learner = learner_->save()});
  }

  /// The scores of all workers that train, summed.
  Score all_of(const Score& own) {
    const std::vector<double> mine = {own.loss_sum, own.correct, own.samples};
    const std::vector<double> all = fabric_.all_gather(mine, fabric_.world());
    Score sum;
    for (std::size_t i = 0; i < all.size(); i += mine.size())
      sum += {.loss_sum = all[i], .correct = all[i + 1], .samples = all[i + 2]};
    return sum;
  }

  void after_epoch(std::int64_t epoch) {
    const double training_s = worker_.report.training_s;
    const bool is_whole = worker_.report.epochs > static_cast<std::int64_t>(epochs_s_.size());
    const double epoch_s = training_s - counted_s_;
    if (is_whole) epochs_s_.push_back(epoch_s);
    counted_s_ = training_s;
    const Score trained = all_of(learner_->trained());
    // Every trainer tests a part with its own model: they differ in BatchNorm statistics at most.
    const std::int64_t trainers = std::max(1, trainer_count(fabric_));
    const std::int64_t samples = data_.test->size();
    const bool trains = fabric_.self().role == Role::trains;
    const Score tested = all_of(trains ? learner_->test(*data_.test,
                                                        samples * fabric_.rank() / trainers,
                                                        samples * (fabric_.rank() + 1) / trainers)
                                       : Score{});
    if (is_first()) show(epoch, is_whole ? std::optional(epoch_s) : std::nullopt, trained, tested);
    if (checkpoints_) {
      std::vector<std::int64_t> position = worker_.progress.position();
      position.at(1) = epoch + 1;
      save(std::move(position));
    }
  }

  void show(std::int64_t epoch,
            std::optional<double> epoch_s,
            const Score& trained,
            const Score& tested) {
    const bool has_accuracy = !std::isnan(tested.correct);
    nlohmann::ordered_json line = {{"epoch", epoch + 1},
                                   {"epoch_s", nullptr},
                                   {"job_s", fabric_.now_s()},
                                   {"learning_rate", learner_->learning_rate()},
                                   {"train_loss", trained.loss_sum / trained.samples},
                                   {"train_accuracy", nullptr},
                                   {"test_loss", tested.loss_sum / tested.samples},
                                   {"test_accuracy", nullptr}};
    if (epoch_s) line["epoch_s"] = *epoch_s;
    std::string text = "epoch " + std::to_string(epoch + 1) + "/" + std::to_string(config_.epochs) +
                       ": " + (epoch_s ? format_seconds(*epoch_s) + ", " : std::string()) +
                       "loss " + number(trained.loss_sum / trained.samples);
    if (has_accuracy) {
      line["train_accuracy"] = trained.correct / trained.samples;
      line["test_accuracy"] = tested.correct / tested.samples;
      text += ", accuracy " + percent(trained.correct / trained.samples);
    }
    text += "; test loss " + number(tested.loss_sum / tested.samples);
    if (has_accuracy) text += ", accuracy " + percent(tested.correct / tested.samples);
    if (!options_.metrics.empty()) {
      metrics_ << line.dump() << std::endl;
      if (!metrics_) throw RunError(options_.metrics.string() + ": cannot be written");
    }
    progress_.say(text);
  }

  const JobConfig& config_;
  const RunOptions& options_;
  const DataSplit& data_;
  const Strategy& strategy_;
  Crew crew_;
  Timeline timeline_;
  MpiFabric fabric_;
  std::unique_ptr<TrainingLearner> learner_;
  Worker worker_;
  ProgressBar progress_;
  std::optional<Checkpoints> checkpoints_;
  std::optional<std::int64_t> resumed_at_;
  std::ofstream metrics_;
  std::int64_t iterations_ = 0;
  std::vector<double> epochs_s_;
  double counted_s_ = 0;
};

/// Seconds of a batch, measured by this rank alone.
double batch_seconds(const JobConfig& config, const DataSplit& data, const OwnDevice& device) {
  MpiFabric alone({WorkerInfo{}}, {.algorithm = "ring", .servers = {}}, nullptr, MPI_COMM_SELF);
  const auto learner = make_torch_learner(
      alone, *data.train, learner_settings(config), device.device, config.machine.threads);
  return device.slow_down * learner->benchmark(config.batch);
}

}  // namespace

std::optional<RunResult> train(const JobConfig& config,
                               const Catalog& catalog,
                               const RunOptions& options) {
  const Dataset dataset = dataset_of(config, catalog);
  const Strategy& strategy = find_strategy(config.strategy);
  check_all_reduce(config.all_reduce);
  const DataSplit data = data_of(config, dataset);
  const OwnDevice device = own_device(config.machine, [&](const std::string& name) {
    return torch_device_model(name, config.machine.threads);
  });
  const Crew crew = assemble(device.info, config.strategy, strategy.participants, [&] {
    return batch_seconds(config, data, device);
  });
  if (!crew.takes_part()) return std::nullopt;

  RunResult result;
  result.strategy = config.strategy;
  result.platform = machine_text();
  result.network = config.network;
  result.dataset = config.dataset;
  result.batch = config.batch;
  result.input_grade = Grade::measured;
  result.config = setting_texts(config, kTrain);
  result.notes.push_back("data: " + data.title);
  if (!config.machine.slow_down.empty())
    result.notes.emplace_back(
        "slower devices were emulated: batches slept for the rest of their time");
  TrainingRun run(config, options, data, strategy, device, crew);
  return run.run(std::move(result));
}

}  // namespace epochcast::real
