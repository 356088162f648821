// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_fabric.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "tests/support/fake_job.hpp"

namespace epochcast::tests {
namespace {

class CollectiveOperation : public Operation {
 public:
  explicit CollectiveOperation(std::shared_ptr<FakeCollective> collective)
      : collective_(std::move(collective)) {}

  std::shared_ptr<FakeCollective> collective_;
};

class MessageOperation : public Operation {
 public:
  MessageOperation(std::shared_ptr<FakeMessage> message, bool is_send)
      : message_(std::move(message)), is_send_(is_send) {}

  std::shared_ptr<FakeMessage> message_;
  bool is_send_;
};

class FakeFabric : public Fabric {
 public:
  FakeFabric(FakeJob& job, int rank) : job_(job), rank_(rank) {}

  int rank() const override { return rank_; }
  std::span<const WorkerInfo> workers() const override { return job_.workers; }
  const Communicator& world() const override {
    std::vector<int> all_ranks;
    for (int other = 0; other < job_.size(); ++other) all_ranks.push_back(other);
    return job_.intern(all_ranks, {});
  }
  const Communicator& node() const override {
    std::vector<int> neighbours;
    for (int other = 0; other < job_.size(); ++other) {
      if (workers()[static_cast<std::size_t>(other)].node == self().node) {
        neighbours.push_back(other);
      }
    }
    return job_.intern(neighbours, {});
  }
  const Communicator& communicator(std::vector<int> ranks, AllReduceChoice all_reduce) override {
    return job_.intern(std::move(ranks), all_reduce);
  }

  double now_s() const override { return me().now_s; }
  void compute(double seconds, std::string_view) override {
    me().now_s += seconds;
    me().phases.compute_s += seconds;
  }

  Request start_all_reduce(Payload payload, double weight, const Communicator& among) override {
    note({.name = "all_reduce",
          .bytes = payload.bytes(),
          .weight = weight,
          .ranks = among.ranks,
          .all_reduce = among.all_reduce,
          .data = payload.data.data()});
    return std::make_shared<CollectiveOperation>(
        job_.join(rank_, among, "all_reduce", -1, {.payload = payload, .weight = weight}));
  }
  Request start_reduce_scatter(Payload all,
                               Payload mine,
                               double weight,
                               const Communicator& among) override {
    note({.name = "reduce_scatter",
          .bytes = all.bytes(),
          .weight = weight,
          .ranks = among.ranks,
          .all_reduce = among.all_reduce,
          .data = all.data.data()});
    return std::make_shared<CollectiveOperation>(job_.join(
        rank_, among, "reduce_scatter", -1, {.payload = all, .mine = mine, .weight = weight}));
  }
  Request start_all_gather(Payload mine, Payload all, const Communicator& among) override {
    note({.name = "all_gather",
          .bytes = mine.bytes(),
          .ranks = among.ranks,
          .all_reduce = among.all_reduce,
          .data = mine.data.data()});
    return std::make_shared<CollectiveOperation>(
        job_.join(rank_, among, "all_gather", -1, {.payload = all, .mine = mine}));
  }
  Request start_send(int to, Payload payload) override {
    note({.name = "send", .bytes = payload.bytes(), .peer = to});
    const bool is_inside = workers()[static_cast<std::size_t>(to)].node == self().node;
    (is_inside ? me().traffic.intra_node_bytes : me().traffic.inter_node_bytes) += payload.bytes();
    return std::make_shared<MessageOperation>(job_.send(rank_, to, payload), true);
  }
  Request start_receive(int from, Payload payload) override {
    note({.name = "receive", .bytes = payload.bytes(), .peer = from});
    return std::make_shared<MessageOperation>(job_.receive(from, rank_, payload), false);
  }
  void wait(const Request& request) override {
    if (const auto* collective = dynamic_cast<CollectiveOperation*>(request.get())) {
      wait_for(*collective->collective_);
      return;
    }
    const FakeMessage& message = *dynamic_cast<MessageOperation&>(*request).message_;
    job_.wait_until(rank_, "a message", [&] { return message.is_done; });
    pass_time(message.start_s, message.end_s);
  }
  std::size_t wait_any(std::span<const Request> requests) override {
    note({.name = "wait_any"});
    const std::vector<std::shared_ptr<FakeMessage>> messages = messages_of(requests);
    const std::size_t first = job_.wait_for_first(rank_, messages);
    pass_time(messages[first]->start_s, messages[first]->end_s);
    return first;
  }
  std::optional<std::size_t> test_any(std::span<const Request> requests) override {
    note({.name = "test_any"});
    return job_.first_ended(rank_, messages_of(requests));
  }
  std::optional<std::int64_t> deal(std::int64_t sequence, std::int64_t count, int owner) override {
    note({.name = "deal", .peer = owner});
    job_.wait_for_turn(rank_, "its turn to be dealt a number");
    const std::int64_t number = job_.deal(sequence);
    return number < count ? std::optional(number) : std::nullopt;
  }

  void broadcast(Payload payload, int root, const Communicator& among) override {
    note({.name = "broadcast", .bytes = payload.bytes(), .peer = root, .ranks = among.ranks});
    wait_for(*job_.join(rank_, among, "broadcast", root, {.payload = payload}));
  }
  void gather(Payload mine, Payload all, int root, const Communicator& among) override {
    note({.name = "gather", .bytes = mine.bytes(), .peer = root, .ranks = among.ranks});
    wait_for(*job_.join(rank_, among, "gather", root, {.payload = all, .mine = mine}));
  }
  SharedNumbers all_gather_numbers(std::span<const double> mine,
                                   const Communicator& among) override {
    const double bytes = sizeof(double) * static_cast<double>(mine.size());
    note({.name = "all_gather_numbers", .bytes = bytes, .ranks = among.ranks});
    const auto collective =
        job_.join(rank_, among, "all_gather_numbers", -1, {.numbers = {mine.begin(), mine.end()}});
    wait_for(*collective);
    return collective->gathered;
  }
  void barrier(const Communicator& among) override {
    note({.name = "barrier", .ranks = among.ranks});
    wait_for(*job_.join(rank_, among, "barrier", -1, {}));
  }

  void repeat(const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body) override {
    note({.name = "repeat", .ranks = among.ranks});
    for (std::int64_t i = 0; i < count; ++i) body(i);
  }

  PhaseTimes phases() const override { return me().phases; }
  Traffic traffic() const override { return me().traffic; }

 private:
  static std::vector<std::shared_ptr<FakeMessage>> messages_of(std::span<const Request> requests) {
    std::vector<std::shared_ptr<FakeMessage>> messages;
    for (const Request& each : requests)
      messages.push_back(each ? dynamic_cast<MessageOperation&>(*each).message_ : nullptr);
    return messages;
  }

  FakeWorker& me() const { return job_.at(rank_); }
  void note(FakeCall call) { me().calls.push_back(std::move(call)); }

  void wait_for(const FakeCollective& collective) {
    job_.wait_until(rank_, collective.name, [&] { return collective.is_done; });
    // The stream may have been busy with earlier operations before this one started.
    auto& intervals = job_.stream_of(rank_, *collective.among).busy;
    for (const FakeWorker::Interval& busy : std::exchange(intervals, {})) {
      if (busy.start_s >= collective.end_s) {
        intervals.push_back(busy);
      } else {
        pass_time(busy.start_s, busy.end_s);
      }
    }
    pass_time(collective.end_s, collective.end_s);
  }

  /// Waits, blocked until `start_s`, exposed until `end_s`.
  void pass_time(double start_s, double end_s) {
    const double blocked_s = std::max(0.0, start_s - now_s());
    const double exposed_s = std::max(0.0, end_s - std::max(start_s, now_s()));
    me().phases.blocked_s += blocked_s;
    me().phases.exposed_communication_s += exposed_s;
    me().now_s += blocked_s + exposed_s;
  }

  FakeJob& job_;
  int rank_;
};

}  // namespace

std::vector<FakeCall> FakeRun::of(int rank, const std::string& name) const {
  std::vector<FakeCall> found;
  for (const FakeCall& call : calls.at(static_cast<std::size_t>(rank))) {
    if (call.name == name) found.push_back(call);
  }
  return found;
}

FakeRun run_workers(std::vector<WorkerInfo> workers,
                    const std::function<void(Fabric&)>& program,
                    const ExchangeCost& cost) {
  FakeJob job(std::move(workers), cost);
  job.run([&](int rank) {
    FakeFabric fabric(job, rank);
    program(fabric);
  });
  FakeRun run;
  for (int rank = 0; rank < job.size(); ++rank) run.calls.push_back(std::move(job.at(rank).calls));
  return run;
}

std::vector<WorkerInfo> workers_on(const std::vector<int>& node_of_rank) {
  std::vector<WorkerInfo> workers;
  std::map<int, int> devices;
  for (const int node : node_of_rank) {
    WorkerInfo worker;
    worker.node = node;
    worker.device = devices[node]++;
    worker.device_class = "gpu";
    worker.model = "gpu-a";
    workers.push_back(worker);
  }
  return workers;
}

}  // namespace epochcast::tests
