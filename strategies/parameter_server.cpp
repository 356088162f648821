// SPDX-License-Identifier: Apache-2.0
#include "strategies/parameter_server.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

/// The batch after the last one of an epoch.
constexpr std::int64_t kNoBatch = -1;

/// What the first server sends before parameters: the next batch, and how many updates other
/// servers must have made before they send theirs. A worker's request to those has the same shape.
using Deal = std::array<std::int64_t, 2>;

/// The ranks of a job, and the parameters of each server.
class Layout {
 public:
  explicit Layout(Worker& worker)
      : trainers_(trainer_count(worker.fabric)),
        servers_(worker.fabric.world().size() - trainers_),
        parameters_(worker.learner.gradients().count) {}

  [[nodiscard]] int trainers() const { return trainers_; }
  [[nodiscard]] int servers() const { return servers_; }
  [[nodiscard]] int rank_of(int server) const { return trainers_ + server; }
  /// The first parameter of a server.
  [[nodiscard]] std::int64_t begin(int server) const { return parameters_ * server / servers_; }
  /// Its part of all parameters, or of all gradients.
  [[nodiscard]] Payload part(const Payload& all, int server) const {
    return slice(all, begin(server), begin(server + 1) - begin(server));
  }

 private:
  int trainers_;
  int servers_;
  std::int64_t parameters_;
};

/// Numbers in a buffer of their own; none in worlds without numbers.
class Room {
 public:
  explicit Room(const Payload& like) : floats_(like.data.size() / sizeof(float)), payload_(like) {
    payload_.data = std::as_writable_bytes(std::span(floats_));
  }
  Room(Room&&) = default;
  [[nodiscard]] const Payload& payload() const { return payload_; }

 private:
  std::vector<float> floats_;
  Payload payload_;
};

/// An epoch of a worker that trains. Returns the samples that it has used.
std::int64_t train_on_dealt_batches(Worker& worker, const Layout& layout, std::int64_t batches) {
  Fabric& fabric = worker.fabric;
  Learner& learner = worker.learner;
  const std::int64_t size = worker.config.step_batch();
  std::int64_t samples = 0;
  Deal deal = {fabric.rank() < batches ? fabric.rank() : kNoBatch, 0};
  while (deal[0] != kNoBatch) {
    learner.use_shuffled({.offset = deal[0] * size, .length = size, .stride = size, .count = 1});
    learner.forward_backward(size);
    samples += size;
    std::vector<Request> under_way;
    const Payload gradients = learner.gradients();
    for (int server = 0; server < layout.servers(); ++server) {
      under_way.push_back(
          fabric.start_send(layout.rank_of(server), layout.part(gradients, server)));
    }
    fabric.wait(fabric.start_receive(layout.rank_of(0), payload_of(std::span(deal))));
    for (int server = 1; server < layout.servers(); ++server)
      under_way.push_back(fabric.start_send(layout.rank_of(server), payload_of(std::span(deal))));
    if (deal[0] != kNoBatch) {
      const Payload parameters = learner.parameters();
      for (int server = 0; server < layout.servers(); ++server) {
        under_way.push_back(
            fabric.start_receive(layout.rank_of(server), layout.part(parameters, server)));
      }
    }
    for (const Request& request : under_way) fabric.wait(request);
  }
  return samples;
}

/// A parameter server: the owner of a part of the parameters.
class Server {
 public:
  Server(Worker& worker, const ServerRules& rules, const Layout& layout, std::int64_t batches)
      : worker_(worker), rules_(rules), layout_(layout), batches_(batches) {
    const Payload part = own(worker.learner.gradients());
    for (int each = 0; each < layout.trainers(); ++each) clients_.emplace_back(part);
    receives_.resize(clients_.size());
  }

  void serve_epoch() {
    worker_.learner.use_shuffled({.count = updates()});
    active_ = static_cast<std::size_t>(std::min<std::int64_t>(layout_.trainers(), batches_));
    next_batch_ = static_cast<std::int64_t>(active_);
    in_round_ = 0;
    version_ = 0;
    for (std::size_t each = 0; each < active_; ++each) {
      clients_[each].is_active = true;
      clients_[each].pushes = clients_[each].pulled_version = 0;
      await_gradient(each);
    }
    while (active_ > 0) {
      const std::size_t from = worker_.fabric.wait_any(receives_);
      receives_[from] = nullptr;
      clients_[from].pushes_next ? pushed(from) : requested(from);
      answer();
    }
    for (Client& client : clients_) finish_answer(client);
  }

 private:
  struct Client {
    explicit Client(const Payload& part) : gradients(part), answer(part) {}
    Room gradients;
    Room answer;                     ///< parameters as they were when it was answered
    Deal deal = {};                  ///< sent to it, or received from it
    std::vector<Request> answering;  ///< sends
    bool is_active = false;          ///< in this epoch
    bool pushes_next = true;         ///< else asks for parameters
    std::int64_t pushes = 0;         ///< in this epoch
    std::int64_t pulled_version = 0;
  };

  [[nodiscard]] int number() const { return worker_.fabric.rank() - layout_.rank_of(0); }
  [[nodiscard]] bool deals() const { return number() == 0; }
  [[nodiscard]] Payload own(const Payload& all) const { return layout_.part(all, number()); }
  [[nodiscard]] std::int64_t updates() const {
    if (!rules_.adds_rounds) return batches_;
    return (batches_ + layout_.trainers() - 1) / layout_.trainers();
  }

  void await_gradient(std::size_t from) {
    clients_[from].pushes_next = true;
    receives_[from] =
        worker_.fabric.start_receive(static_cast<int>(from), clients_[from].gradients.payload());
  }

  void pushed(std::size_t from) {
    Client& client = clients_[from];
    finish_answer(client);
    ++client.pushes;
    if (rules_.adds_rounds) {
      add_to_round();
    } else {
      update(from);
    }
    if (deals()) {
      unanswered_.insert(from);
      return;
    }
    client.pushes_next = false;
    receives_[from] =
        worker_.fabric.start_receive(static_cast<int>(from), payload_of(std::span(client.deal)));
  }

  /// A worker has got its next batch from the first server.
  void requested(std::size_t from) {
    if (clients_[from].deal[0] == kNoBatch) {
      leave(clients_[from]);
    } else {
      unanswered_.insert(from);
    }
  }

  void update(std::size_t from) {
    const std::int64_t staleness = version_ - clients_[from].pulled_version;
    const double rate =
        rules_.divides_rate ? 1.0 / static_cast<double>(std::max<std::int64_t>(1, staleness)) : 1.0;
    apply(clients_[from].gradients.payload(), rate);
    note(staleness);
  }

  /// After the last gradient of a round: their mean, added in the order of ranks.
  void add_to_round() {
    const std::int64_t size =
        std::min<std::int64_t>(layout_.trainers(), batches_ - version_ * layout_.trainers());
    if (++in_round_ < size) return;
    in_round_ = 0;
    const Payload mean = own(worker_.learner.gradients());
    const std::span<float> sums = mean.has_numbers() ? values<float>(mean) : std::span<float>();
    std::ranges::fill(sums, 0.0F);
    const auto weight = static_cast<float>(1.0 / static_cast<double>(size));
    for (std::size_t each = 0; each < static_cast<std::size_t>(size); ++each) {
      const Payload& gradients = clients_[each].gradients.payload();
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * values<float>(gradients)[i];
      worker_.learner.kernel("add", 3 * gradients.bytes());
      note(0);
    }
    apply(mean, 1);
  }

  void apply(const Payload& gradients, double rate) {
    worker_.learner.apply(gradients, layout_.begin(number()), rate);
    ++version_;
  }

  void note(std::int64_t staleness) {
    if (!deals()) return;
    auto& counts = worker_.report.updates_by_staleness;
    const auto place = static_cast<std::size_t>(staleness);
    if (place >= counts.size()) counts.resize(place + 1);
    ++counts[place];
  }

  /// Answers all workers that may go on, by rank. One that gets no batch no longer holds others up.
  void answer() {
    for (auto each = unanswered_.begin(); each != unanswered_.end();) {
      if (!may_go_on(clients_[*each])) {
        ++each;
        continue;
      }
      const std::size_t to = *each;
      unanswered_.erase(each);
      reply(to);
      each = unanswered_.begin();
    }
  }

  [[nodiscard]] bool may_go_on(const Client& client) const {
    if (!deals()) return version_ >= client.deal[1];
    if (rules_.adds_rounds) return version_ >= client.pushes;
    if (!rules_.most_ahead) return true;
    return std::ranges::all_of(clients_, [&](const Client& other) {
      return !other.is_active || client.pushes - other.pushes <= *rules_.most_ahead;
    });
  }

  void reply(std::size_t to) {
    Client& client = clients_[to];
    Fabric& fabric = worker_.fabric;
    if (deals()) {
      const bool waits = rules_.adds_rounds || rules_.most_ahead;
      client.deal = {next_batch_ < batches_ ? next_batch_++ : kNoBatch, waits ? version_ : 0};
      client.answering.push_back(
          fabric.start_send(static_cast<int>(to), payload_of(std::span(client.deal))));
      if (client.deal[0] == kNoBatch) return leave(client);
    }
    client.pulled_version = version_;
    // Later updates must not change what is being sent.
    const Payload parameters = own(worker_.learner.parameters());
    std::ranges::copy(parameters.data, client.answer.payload().data.begin());
    worker_.learner.kernel("copy", 2 * parameters.bytes());
    client.answering.push_back(fabric.start_send(static_cast<int>(to), client.answer.payload()));
    await_gradient(to);
  }

  void leave(Client& client) {
    client.is_active = false;
    --active_;
  }

  void finish_answer(Client& client) {
    for (const Request& request : client.answering) worker_.fabric.wait(request);
    client.answering.clear();
  }

  Worker& worker_;
  const ServerRules& rules_;
  const Layout& layout_;
  std::int64_t batches_;  ///< of an epoch
  std::vector<Client> clients_;
  std::vector<Request> receives_;     ///< by worker; null: nothing is expected from it now
  std::set<std::size_t> unanswered_;  ///< workers that wait for parameters
  std::size_t active_ = 0;
  std::int64_t next_batch_ = 0;
  std::int64_t in_round_ = 0;  ///< gradients
  std::int64_t version_ = 0;   ///< updates of this epoch
};

}  // namespace

void run_parameter_server(Worker& worker, const ServerRules& rules) {
  Fabric& fabric = worker.fabric;
  const bool trains = fabric.self().role == Role::trains;
  const Layout layout(worker);
  const std::int64_t size = worker.config.step_batch();
  const std::int64_t batches = iterations_per_epoch(worker.train_samples, size);
  WorkerReport& report = worker.report;
  report.batch = trains ? size : 0;
  // Every worker exchanges with the servers in each of its iterations.
  report.iterations_per_epoch = report.rounds_per_epoch =
      (batches + layout.trainers() - 1) / layout.trainers();
  std::optional<Server> server;
  if (!trains) server.emplace(worker, rules, layout, batches);

  train_epochs(worker, [&](std::int64_t) {
    // Arrivals differ from epoch to epoch: no clock may skip any.
    fabric.announce_change();
    if (trains) {
      report.samples_per_epoch = train_on_dealt_batches(worker, layout, batches);
    } else {
      server->serve_epoch();
    }
    const Payload parameters = worker.learner.parameters();
    for (int each = 0; each < layout.servers(); ++each) {
      fabric.broadcast(layout.part(parameters, each), layout.rank_of(each), fabric.world());
    }
  });
}

void check_parameter_server(const JobConfig& config, const DeviceNames& /*devices*/) {
  const std::string& name = config.strategy;
  if (config.learning.clip_norm)
    throw UserError("--clip-norm: " + name + " has no rank that knows all gradients; use sync");
  if (config.overlap != Overlap::none)
    throw UserError("--overlap: " + name + " sends gradients when all of them are known");
  if (config.precision == Precision::float16)
    throw UserError("--precision float16: workers of " + name +
                    " make no steps, by which the scale of the loss adapts; use bfloat16");
}

}  // namespace epochcast
