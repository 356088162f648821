// SPDX-License-Identifier: Apache-2.0
#include "tests/real/equivalence/trial.hpp"

#include <mpi.h>

#include <cstring>
#include <span>
#include <utility>

#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"
#include "tests/real/test_device.hpp"

namespace epochcast::tests {
namespace {

using real::check_mpi;

/// Records the loaded samples.
class WatchedSource : public real::DataSource {
 public:
  WatchedSource(std::unique_ptr<real::DataSource> source, Samples& loaded)
      : source_(std::move(source)), loaded_(loaded) {}

  std::int64_t size() const override { return source_->size(); }
  const std::vector<std::int64_t>& shape() const override { return source_->shape(); }
  std::int64_t classes() const override { return source_->classes(); }
  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> variant,
                    std::span<float> sample) const override {
    loaded_.push_back(index);  // not slow: never loaded by several threads
    return source_->load(index, variant, sample);
  }

 private:
  std::unique_ptr<real::DataSource> source_;
  Samples& loaded_;
};

/// One rank's data of a trial.
struct Part {
  std::vector<float> start, parameters;
  std::vector<Samples> samples;            ///< by epoch
  std::vector<std::vector<float>> losses;  ///< by epoch, in the form of Learner::recorded_losses()
  std::int64_t batch = 0;
  std::int64_t buckets = 0;
};

std::vector<float> copy_of(const Payload& payload) {
  std::vector<float> words(payload.data.size() / sizeof(float));
  std::memcpy(words.data(), payload.data.data(), sizeof(float) * words.size());
  return words;
}

Part train(const Trial& trial, MPI_Comm comm) {
  Part part;
  part.samples.emplace_back();
  Samples loaded;
  const WatchedSource data(training_data(trial), loaded);
  real::MpiFabric fabric(
      trial.workers, {.algorithm = trial.config.all_reduce, .servers = {}}, nullptr, comm);
  real::Pace pace;
  if (const auto found = trial.delay_s.find(fabric.rank()); found != trial.delay_s.end())
    pace = [delay_s = found->second](const real::Piece&) { return delay_s; };
  const auto learner =
      real::make_torch_learner(fabric, data, learner_settings(trial), test_device(), 1, pace);
  part.start = copy_of(learner->parameters());
  if (!trial.is_start_equal)
    for (float& value : values<float>(learner->parameters()))
      value += static_cast<float>(fabric.rank());
  Worker worker = {.fabric = fabric,
                   .learner = *learner,
                   .sampling = *learner,
                   .config = trial.config,
                   .train_samples = trial.train_samples};
  worker.progress.memory = {trial.memory.begin(), trial.memory.end()};
  part.samples.clear();
  worker.after_epoch = [&](std::int64_t) {
    part.samples.push_back(std::exchange(loaded, {}));
    part.losses.push_back(copy_of(learner->recorded_losses()));
  };
  find_strategy(trial.strategy).run(worker);
  part.parameters = copy_of(learner->parameters());
  part.batch = worker.report.batch;
  part.buckets = static_cast<std::int64_t>(learner->buckets().size());
  return part;
}

/// The values of all ranks, by rank, on every rank.
template <typename Value>
std::vector<std::vector<Value>> all_gather(const std::vector<Value>& mine) {
  std::string bytes(mine.size() * sizeof(Value), '\0');
  if (!mine.empty()) std::memcpy(bytes.data(), mine.data(), bytes.size());
  std::vector<std::vector<Value>> all;
  for (const std::string& text : real::all_gather_texts(bytes, MPI_COMM_WORLD)) {
    all.emplace_back(text.size() / sizeof(Value));
    if (!text.empty()) std::memcpy(all.back().data(), text.data(), text.size());
  }
  return all;
}

/// The losses of an epoch from all workers' records, each of three words: a 64-bit sample index,
/// its loss. All train for equally long: of a sample trained by two, the record further in its
/// epoch is the later one.
std::map<std::int64_t, float> losses_of(const std::vector<std::vector<float>>& by_rank) {
  std::map<std::int64_t, float> losses;
  std::map<std::int64_t, double> recorded_at;  // share of the epoch
  for (const std::vector<float>& words : by_rank) {
    for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
      std::int64_t sample = 0;
      std::memcpy(&sample, &words[i], sizeof sample);
      const double now = static_cast<double>(i + 3) / static_cast<double>(words.size());
      if (now < recorded_at[sample]) continue;
      recorded_at[sample] = now;
      losses[sample] = words[i + 2];
    }
  }
  return losses;
}

Outcome gather(Part part, const Trial& trial) {
  Outcome outcome;
  outcome.start = all_gather(part.start).front();
  outcome.parameters = all_gather(part.parameters);
  outcome.buckets = all_gather<std::int64_t>({part.buckets}).front().front();
  for (const auto& batch : all_gather<std::int64_t>({part.batch}))
    outcome.batches.push_back(batch.front());
  const auto epochs = static_cast<std::size_t>(trial.config.epochs);
  part.samples.resize(epochs);
  part.losses.resize(epochs);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    outcome.samples.push_back(all_gather(part.samples[epoch]));
    outcome.samples.back().resize(trial.workers.size());
    outcome.losses.push_back(losses_of(all_gather(part.losses[epoch])));
  }
  std::size_t trainers = 0;  // they are ranked before servers
  for (const WorkerInfo& worker : trial.workers) trainers += worker.role == Role::trains ? 1 : 0;
  outcome.parameters.resize(trainers);
  outcome.batches.resize(trial.workers.size());
  return outcome;
}

}  // namespace

Samples Outcome::all_samples(std::size_t epoch) const {
  Samples all;
  for (const Samples& some : samples.at(epoch)) all.insert(all.end(), some.begin(), some.end());
  return all;
}

Trial trial_of(const std::string& strategy, std::vector<WorkerInfo> workers, std::int64_t batch) {
  Trial trial = {.strategy = strategy, .workers = std::move(workers)};
  trial.config.batch = batch;
  trial.config.epochs = 2;
  trial.config.learning.rate.base = 0.05;
  trial.config.learning.optimizer.momentum = 0.9;
  return trial;
}

std::vector<WorkerInfo> alike_on(const std::vector<int>& node_of_rank) {
  std::vector<WorkerInfo> workers;
  std::map<int, int> devices;
  for (const int node : node_of_rank) {
    workers.push_back(
        {.node = node, .device = devices[node]++, .device_class = "cpu", .model = "cpu-a"});
  }
  return workers;
}

std::vector<WorkerInfo> alike(int workers) {
  return alike_on(std::vector<int>(static_cast<std::size_t>(workers), 0));
}

std::unique_ptr<real::DataSource> training_data(const Trial& trial) {
  const Dataset dataset = {.name = "procedural",
                           .title = "procedural",
                           .train_samples = trial.train_samples,
                           .test_samples = 1,
                           .shape = {3, 32, 32},
                           .classes = 10,
                           .source = {}};
  return std::move(real::procedural_data(dataset, trial.config.seed).train);
}

real::LearnerSettings learner_settings(const Trial& trial) {
  return {.network = "small-cnn",
          .optimizer = trial.config.learning.optimizer,
          .learning_rate = trial.config.learning.rate,
          .augment = false,
          .first_bucket_bytes = trial.config.first_bucket_bytes,
          .bucket_bytes = trial.config.bucket_bytes,
          .seed = trial.config.seed};
}

Outcome run_trial(const Trial& trial) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const bool takes_part = rank < static_cast<int>(trial.workers.size());
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, rank, &comm),
            "MPI_Comm_split");
  Part part;
  if (takes_part) {
    check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    part = train(trial, comm);
    check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
  }
  return gather(std::move(part), trial);
}

}  // namespace epochcast::tests
