// SPDX-License-Identifier: Apache-2.0
// AD-PSGD (Lian et al., ICML 2018, arXiv 1710.06952, algorithm 1): no worker waits. A worker
// averages its parameters with those of one neighbour while it computes a gradient, then makes its
// step.
//
// As in the paper's implementation, workers are active or passive, and only neighbours of different
// kinds average, so no two wait for each other. Ranks 0, 2, 4, ... are active: each sends its
// parameters to a random neighbour, a passive rank at an odd distance 1, 3, 7, 15, ... A passive
// one answers with its own and continues with the mean.
//
// [reading] The paper's workers answer in a thread of their own. Here a passive worker answers
// after its batch. An active one whose answer has not come by the end of its batch makes its step
// and goes on; it later adds half of the difference between the answer and what it had sent. So the
// sum of all parameters stays as it is in every averaging. Batches are dealt on demand. Every epoch
// ends with an average among all workers.
#include <algorithm>
#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/statistics/random.hpp"
#include "strategies/averaging.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

/// The message of a worker before its parameters.
constexpr std::int64_t kParameters = 0;
constexpr std::int64_t kEndOfEpoch = 1;

/// Ranks at distances 1, 3, 7, 15, ... in both directions, without wrapping around.
std::vector<int> neighbours_of(int rank, int workers) {
  std::vector<int> found;
  for (int distance = 1; distance < workers; distance = 2 * distance + 1) {
    for (const int other : {rank - distance, rank + distance})
      if (other >= 0 && other < workers) found.push_back(other);
  }
  std::ranges::sort(found);
  return found;
}

/// Numbers of a message.
struct Buffer {
  std::vector<float> numbers = {};
  Payload payload = {};

  /// As many as these.
  void resize(const Payload& like) {
    numbers.resize(like.data.size() / sizeof(float));
    payload = like;
    payload.data = std::as_writable_bytes(std::span(numbers));
  }
  void copy(const Payload& from) {
    resize(from);
    std::ranges::copy(from.data, payload.data.begin());
  }
};

/// The averaging of a worker with its neighbours.
class Neighbour {
 public:
  explicit Neighbour(Worker& worker)
      : worker_(worker),
        is_active_(worker.fabric.rank() % 2 == 0),
        neighbours_(neighbours_of(worker.fabric.rank(), worker.fabric.world().size())),
        random_(mix_seed(worker.config.seed, static_cast<std::uint64_t>(worker.fabric.rank()))) {}

  void begin_epoch() {
    if (is_active_) return;
    for (const int from : neighbours_) {
      Sender& sender = senders_[from];
      sender.has_ended = false;
      await_header(from, sender);
    }
  }

  /// Before a batch: an active worker sends its parameters, unless an answer is still to come.
  void begin_batch() {
    if (!is_active_ || neighbours_.empty() || answer_) return;
    const int to = neighbours_[random_.below(neighbours_.size())];
    finish_sends();
    sent_.copy(worker_.learner.parameters());
    worker_.learner.kernel("copy", 2 * sent_.payload.bytes());
    answered_.resize(sent_.payload);
    send_header(to, kParameters);
    sends_.push_back(worker_.fabric.start_send(to, sent_.payload));
    answer_ = worker_.fabric.start_receive(to, answered_.payload);
    steps_since_ = 0;
  }

  /// After a batch, before its step.
  void end_batch() {
    if (is_active_) {
      if (answer_ && worker_.fabric.test_any({&answer_, 1})) merge();
      ++steps_since_;
      return;
    }
    while (const std::optional<std::size_t> arrived = worker_.fabric.test_any(pending())) {
      handle(*arrived);
    }
  }

  /// After the last batch: until no neighbour needs this worker.
  void end_epoch() {
    if (is_active_) {
      if (answer_) {
        worker_.fabric.wait(answer_);
        merge();
      }
      finish_sends();
      for (const int to : neighbours_) send_header(to, kEndOfEpoch);
      finish_sends();
      return;
    }
    while (!std::ranges::all_of(senders_, [](const auto& each) { return each.second.has_ended; }))
      handle(worker_.fabric.wait_any(pending()));
    for (auto& [from, sender] : senders_) {
      if (sender.answering) worker_.fabric.wait(std::exchange(sender.answering, nullptr));
    }
  }

 private:
  /// An active neighbour of a passive worker.
  struct Sender {
    std::int64_t header = kParameters;
    Buffer received;
    Buffer answer;
    Request arriving;  ///< its header, or its parameters
    bool is_header = true;
    Request answering;
    bool has_ended = false;  ///< sends no more in this epoch
  };

  void send_header(int to, std::int64_t kind) {
    headers_.push_back(kind);
    sends_.push_back(worker_.fabric.start_send(to, payload_of(std::span(&headers_.back(), 1))));
  }
  void finish_sends() {
    for (const Request& send : sends_) worker_.fabric.wait(send);
    sends_.clear();
    headers_.clear();
  }

  void await_header(int from, Sender& sender) {
    sender.is_header = true;
    sender.arriving = worker_.fabric.start_receive(from, payload_of(std::span(&sender.header, 1)));
  }

  [[nodiscard]] std::span<const Request> pending() {
    pending_.clear();
    for (const auto& [from, sender] : senders_) pending_.push_back(sender.arriving);
    return pending_;
  }

  /// A header or parameters have come from the sender of that index.
  void handle(std::size_t index) {
    auto& [from, sender] = *std::next(senders_.begin(), static_cast<std::ptrdiff_t>(index));
    sender.arriving = nullptr;
    if (!sender.is_header) {
      answer(from, sender);
      await_header(from, sender);
    } else if (sender.header == kEndOfEpoch) {
      sender.has_ended = true;
    } else {
      sender.is_header = false;
      sender.received.resize(worker_.learner.parameters());
      sender.arriving = worker_.fabric.start_receive(from, sender.received.payload);
    }
  }

  void answer(int to, Sender& sender) {
    if (sender.answering) worker_.fabric.wait(sender.answering);
    const Payload own = worker_.learner.parameters();
    sender.answer.copy(own);
    sender.answering = worker_.fabric.start_send(to, sender.answer.payload);
    add_half_difference(sender.received, sender.answer, own);
  }

  void merge() {
    answer_ = nullptr;
    add_half_difference(answered_, sent_, worker_.learner.parameters());
    std::vector<std::int64_t>& counts = worker_.report.updates_by_staleness;
    if (steps_since_ >= counts.size()) counts.resize(steps_since_ + 1);
    ++counts[steps_since_];
  }

  /// own += (other - mine) / 2
  void add_half_difference(const Buffer& other, const Buffer& mine, const Payload& own) {
    const std::span<float> numbers = values<float>(own);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] += 0.5F * (other.numbers[i] - mine.numbers[i]);
    worker_.learner.kernel("average", 4 * own.bytes());
  }

  Worker& worker_;
  bool is_active_;
  std::vector<int> neighbours_;
  Random random_;
  // Active:
  Buffer sent_, answered_;
  std::vector<Request> sends_;
  std::list<std::int64_t> headers_;  ///< in transfer
  Request answer_;                   ///< null: none is to come
  std::size_t steps_since_ = 0;      ///< own steps since parameters were sent
  // Passive:
  std::map<int, Sender> senders_;  ///< by rank
  std::vector<Request> pending_;   ///< by sender; null: nothing is expected
};

void run_ad_psgd(Worker& worker) {
  Fabric& fabric = worker.fabric;
  Learner& learner = worker.learner;
  const int workers = trainer_count(fabric);
  const std::int64_t batch = worker.config.step_batch();
  const std::int64_t batches = iterations_per_epoch(worker.train_samples, batch);
  WorkerReport& report = worker.report;
  report.batch = batch;
  // Each iteration averages with a neighbour.
  report.iterations_per_epoch = report.rounds_per_epoch = (batches + workers - 1) / workers;
  worker.averages_parameters = true;
  Neighbour neighbour(worker);

  train_epochs(worker, [&](std::int64_t epoch) {
    neighbour.begin_epoch();
    std::int64_t samples = 0;
    while (const std::optional<std::int64_t> number = fabric.deal(epoch, batches, 0)) {
      const auto place = [&](std::int64_t of) {
        return static_cast<double>(of) / static_cast<double>(batches);
      };
      learner.use_shuffled({.offset = *number * batch,
                            .length = batch,
                            .stride = batch,
                            .count = 1,
                            .epoch_begin = place(*number),
                            .epoch_end = place(*number + 1)});
      neighbour.begin_batch();
      learner.forward_backward(batch);
      neighbour.end_batch();
      learner.step();
      samples += batch;
    }
    neighbour.end_epoch();
    average_parameters(worker, 1.0 / workers);
    report.samples_per_epoch = samples_of_epoch(worker, samples, batches * batch);
  });
}

void check_ad_psgd(const JobConfig& config, const DeviceNames&) {
  if (config.overlap != Overlap::none)
    throw UserError("--overlap: ad-psgd exchanges parameters beside whole batches");
}

}  // namespace

Strategy ad_psgd_strategy() {
  return {.name = "ad-psgd",
          .summary = "averages with a random neighbour while computing; no worker waits",
          .source = "arXiv 1710.06952",
          .exchanges_gradients = false,
          .compressed = {},
          .overlaps = true,
          .can_save_within_epochs = false,
          .check = check_ad_psgd,
          .run = run_ad_psgd};
}

}  // namespace epochcast
