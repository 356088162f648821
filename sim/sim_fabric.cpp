// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr int kMessageChannel = 1;

}  // namespace

/// A collective in progress.
class SimFabric::CollectiveOperation : public Operation {
 public:
  CollectiveOperation(std::shared_ptr<CollectiveCall> call, int member)
      : call_(std::move(call)), member_(member) {}

  std::shared_ptr<CollectiveCall> call_;
  int member_;
};

/// A point-to-point message in progress.
class SimFabric::MessageOperation : public Operation {
 public:
  bool is_send = false;
  Payload payload;
  std::vector<float>* numbers = nullptr;  ///< in transfer; the receiver deletes it
  sg::ActorPtr carrier;                   ///< waits for the latency, then for the bytes
  Footprint footprint;
  std::uint64_t token = 0;
};

Runtime::Rank& SimFabric::self() const { return runtime_.rank(rank_); }

std::span<const WorkerInfo> SimFabric::workers() const { return runtime_.workers_; }

const Communicator& SimFabric::world() const {
  return runtime_.communicators_.front()->communicator;
}

const Communicator& SimFabric::node() const {
  return runtime_.communicators_[static_cast<std::size_t>(node_)]->communicator;
}

const Communicator& SimFabric::communicator(std::vector<int> ranks, AllReduceChoice all_reduce) {
  return runtime_.intern(std::move(ranks), all_reduce).communicator;
}

double SimFabric::now_s() const { return self().local_s + self().skipped_s; }

PhaseTimes SimFabric::phases() const { return self().phases; }

Traffic SimFabric::traffic() const { return self().traffic; }

Meters SimFabric::meters() const {
  return {.now_s = now_s(), .phases = phases(), .traffic = traffic()};
}

void SimFabric::compute(double seconds, std::string_view what) {
  Runtime::Rank& me = self();
  if (!me.stream.empty() && me.has_contention) seconds = runtime_.compute_beside(rank_, seconds);
  if (runtime_.pass_.timeline != nullptr) {
    runtime_.pass_.timeline->add({.worker = rank_,
                                  .stream = Stream::compute,
                                  .name = std::string(what),
                                  .start_s = now_s(),
                                  .end_s = now_s() + seconds});
  }
  me.local_s += seconds;
  me.phases.compute_s += seconds;
}

std::shared_ptr<SimFabric::CollectiveOperation> SimFabric::enter_collective(
    const Communicator& among, const std::function<void(CollectiveCall&, int)>& enter) {
  const int member = among.member_of(rank_);
  const std::shared_ptr<CollectiveCall> call = runtime_.next_call(runtime_.state_of(among), member);
  enter(*call, member);
  runtime_.join(call, member);
  return std::make_shared<CollectiveOperation>(call, member);
}

void SimFabric::run_collective(const Communicator& among,
                               const std::function<void(CollectiveCall&, int)>& enter) {
  const auto operation = enter_collective(among, enter);
  wait_for(*operation->call_, operation->member_);
}

void SimFabric::show_blocked(double start_s, double end_s) {
  if (runtime_.pass_.timeline == nullptr) return;
  const double skipped_s = self().skipped_s;
  runtime_.pass_.timeline->add({.worker = rank_,
                                .stream = Stream::blocked,
                                .name = "blocked",
                                .start_s = start_s + skipped_s,
                                .end_s = end_s + skipped_s});
}

void SimFabric::wait_for(CollectiveCall& call, int member) {
  Runtime::Rank& me = self();
  if (!call.has_ended(member)) {
    call.is_awaited[static_cast<std::size_t>(member)] = true;
    me.wake->acquire();
  }
  const double from_s = me.local_s;
  const double until_s = std::max(from_s, call.end_s[static_cast<std::size_t>(member)]);
  double exposed_s = 0;
  double known_s = from_s;  // the timeline is complete until then
  for (const auto& interval : me.busy) {
    exposed_s +=
        std::max(0.0, std::min(until_s, interval.end_s) - std::max(from_s, interval.start_s));
    show_blocked(known_s, std::min(until_s, interval.start_s));
    known_s = std::max(known_s, interval.end_s);
  }
  show_blocked(known_s, until_s);
  std::erase_if(me.busy, [until_s](const auto& interval) { return interval.end_s <= until_s; });
  me.phases.exposed_communication_s += exposed_s;
  me.phases.blocked_s += until_s - from_s - exposed_s;
  me.local_s = until_s;
}

void SimFabric::wait(const Request& request) {
  if (const auto* collective = dynamic_cast<CollectiveOperation*>(request.get())) {
    wait_for(*collective->call_, collective->member_);
    return;
  }
  auto& message = dynamic_cast<MessageOperation&>(*request);
  Runtime::Rank& me = self();
  runtime_.sleep_until(me.local_s);
  message.carrier->join();
  runtime_.interference_->end_simulated(message.footprint, message.token, runtime_.clock_s());
  const double until_s = std::max(me.local_s, runtime_.clock_s());
  me.phases.exposed_communication_s += until_s - me.local_s;
  me.local_s = until_s;
  if (!message.is_send) {
    const std::unique_ptr<std::vector<float>> numbers(message.numbers);
    std::ranges::copy(*numbers, message.payload.values.begin());
  }
}

Request SimFabric::start_all_reduce(Payload payload, double weight, const Communicator& among) {
  return enter_collective(among, [&](CollectiveCall& call, int member) {
    if (call.payloads.empty()) {
      call.kind = CollectiveCall::Kind::all_reduce;
      call.label = runtime_.all_reduce_label(among);
      call.bytes = payload.bytes;
      call.payloads.resize(among.ranks.size());
      call.weights.resize(among.ranks.size());
    }
    call.payloads[static_cast<std::size_t>(member)] = payload;
    call.weights[static_cast<std::size_t>(member)] = weight;
  });
}

void SimFabric::broadcast(Payload payload, int root, const Communicator& among) {
  run_collective(among, [&](CollectiveCall& call, int member) {
    if (call.payloads.empty()) {
      call.kind = CollectiveCall::Kind::broadcast;
      call.label = "broadcast";
      call.root = among.member_of(root);
      call.bytes = payload.bytes;
      call.payloads.resize(among.ranks.size());
    }
    call.payloads[static_cast<std::size_t>(member)] = payload;
  });
}

void SimFabric::gather(Payload mine, Payload all, int root, const Communicator& among) {
  run_collective(among, [&](CollectiveCall& call, int member) {
    if (call.payloads.empty()) {
      call.kind = CollectiveCall::Kind::gather;
      call.label = "gather";
      call.root = among.member_of(root);
      call.payloads.resize(among.ranks.size());
      call.part_bytes.resize(among.ranks.size());
    }
    call.bytes += std::round(mine.bytes);
    call.part_bytes[static_cast<std::size_t>(member)] = std::round(mine.bytes);
    call.payloads[static_cast<std::size_t>(member)] = mine;
    if (rank_ == root) call.gathered = all;
  });
}

SharedNumbers SimFabric::all_gather(std::span<const double> mine, const Communicator& among) {
  const auto operation = enter_collective(among, [&](CollectiveCall& call, int member) {
    const std::size_t count = mine.size();
    if (call.numbers.empty()) {
      call.kind = CollectiveCall::Kind::all_gather;
      call.label = "all-gather";
      call.numbers.resize(count * among.ranks.size());
      call.bytes = static_cast<double>(sizeof(double) * call.numbers.size());
    }
    std::ranges::copy(mine, call.numbers.begin() + static_cast<std::ptrdiff_t>(count) * member);
  });
  CollectiveCall& call = *operation->call_;
  wait_for(call, operation->member_);
  if (!call.gathered_numbers) call.gathered_numbers = std::move(call.numbers);
  return *call.gathered_numbers;
}

void SimFabric::barrier(const Communicator& among) {
  run_collective(among,
                 [](CollectiveCall& call, int) { call.kind = CollectiveCall::Kind::barrier; });
}

Request SimFabric::start_message(int from, int to, Payload payload) {
  runtime_.sleep_until(self().local_s);
  auto message = std::make_shared<MessageOperation>();
  message->is_send = from == rank_;
  message->payload = payload;
  message->footprint = runtime_.footprint_of({from, to});
  message->token = runtime_.interference_->begin_simulated(message->footprint, self().local_s);
  Runtime::Path& path = runtime_.path(from, to, kMessageChannel);
  const sg::SemaphorePtr posted = sg::Semaphore::create(0);
  const sg::SemaphorePtr before =
      std::exchange(message->is_send ? path.offered : path.asked, posted);
  if (message->is_send) {
    message->numbers = new std::vector<float>(payload.values.begin(), payload.values.end());
    ++runtime_.simulated_messages_;
    self().traffic += runtime_.traffic_between(from, to, payload.bytes);
  }
  message->carrier =
      sg::Actor::create("message", self().host, [this, message, &path, before, posted] {
        const double bytes = message->payload.bytes;
        runtime_.sleep_until(runtime_.clock_s() + path.route.latency_for_s(bytes));
        if (before) before->acquire();
        const sg::CommPtr transfer =
            message->is_send
                ? Runtime::send_async(path, message->numbers, bytes, path.route.bytes_per_s(bytes))
                : path.mailbox->get_async<std::vector<float>>(&message->numbers);
        posted->release();
        transfer->wait();
      });
  message->carrier->daemonize();
  return message;
}

Request SimFabric::start_send(int to, Payload payload) { return start_message(rank_, to, payload); }

Request SimFabric::start_receive(int from, Payload payload) {
  return start_message(from, rank_, payload);
}

}  // namespace epochcast::sim
