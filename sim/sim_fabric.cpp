// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/exchange/world_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr int kMessageChannel = 1;

}  // namespace

/// A collective under way.
class SimFabric::MeetingOperation : public Operation {
 public:
  MeetingOperation(std::shared_ptr<Meeting> meeting, int member)
      : meeting_(std::move(meeting)), member_(member) {}

  std::shared_ptr<Meeting> meeting_;
  int member_;
};

/// A point-to-point message under way.
class SimFabric::MessageOperation : public Operation {
 public:
  bool is_send = false;
  Payload payload;
  std::vector<float>* numbers = nullptr;  ///< on its way; the receiver deletes it
  sg::ActorPtr carrier;                   ///< waits for the latency, then for the bytes
  Footprint footprint;
  std::uint64_t token = 0;
};

World::Rank& SimFabric::self() const { return world_.rank(rank_); }

std::span<const WorkerInfo> SimFabric::workers() const { return world_.workers_; }

const Communicator& SimFabric::world() const { return world_.communicators_.front()->communicator; }

const Communicator& SimFabric::node() const {
  return world_.communicators_[static_cast<std::size_t>(node_)]->communicator;
}

const Communicator& SimFabric::communicator(std::vector<int> ranks, AllReduceChoice all_reduce) {
  return world_.intern(std::move(ranks), all_reduce).communicator;
}

double SimFabric::now_s() const { return self().local_s + self().skipped_s; }

PhaseTimes SimFabric::phases() const { return self().phases; }

Traffic SimFabric::traffic() const { return self().traffic; }

Meters SimFabric::meters() const {
  return {.now_s = now_s(), .phases = phases(), .traffic = traffic()};
}

int SimFabric::member_of(const Communicator& among) const {
  return world_.state_of(among).member_of(rank_);
}

void SimFabric::compute(double seconds, std::string_view what) {
  World::Rank& me = self();
  if (world_.pass_.timeline != nullptr) {
    world_.pass_.timeline->add({.worker = rank_,
                                .stream = Stream::compute,
                                .name = std::string(what),
                                .start_s = now_s(),
                                .end_s = now_s() + seconds});
  }
  me.local_s += seconds;
  me.phases.compute_s += seconds;
}

std::shared_ptr<SimFabric::MeetingOperation> SimFabric::enter_meeting(
    const Communicator& among, const std::function<void(Meeting&, int)>& enter) {
  const int member = member_of(among);
  const std::shared_ptr<Meeting> meeting = world_.next_meeting(world_.state_of(among), member);
  enter(*meeting, member);
  world_.join(meeting, member);
  return std::make_shared<MeetingOperation>(meeting, member);
}

void SimFabric::run_meeting(const Communicator& among,
                            const std::function<void(Meeting&, int)>& enter) {
  const auto operation = enter_meeting(among, enter);
  wait_for(*operation->meeting_, operation->member_);
}

void SimFabric::wait_for(Meeting& meeting, int member) {
  World::Rank& me = self();
  if (!meeting.has_ended(member)) {
    meeting.is_awaited[static_cast<std::size_t>(member)] = true;
    me.wake->acquire();
  }
  const double from_s = me.local_s;
  const double until_s = std::max(from_s, meeting.end_s[static_cast<std::size_t>(member)]);
  double exposed_s = 0;
  for (const auto& interval : me.busy) {
    exposed_s +=
        std::max(0.0, std::min(until_s, interval.end_s) - std::max(from_s, interval.start_s));
  }
  std::erase_if(me.busy, [until_s](const auto& interval) { return interval.end_s <= until_s; });
  me.phases.exposed_communication_s += exposed_s;
  me.phases.blocked_s += until_s - from_s - exposed_s;
  me.local_s = until_s;
}

void SimFabric::wait(const Request& request) {
  if (const auto* collective = dynamic_cast<MeetingOperation*>(request.get())) {
    wait_for(*collective->meeting_, collective->member_);
    return;
  }
  auto& message = dynamic_cast<MessageOperation&>(*request);
  World::Rank& me = self();
  world_.sleep_until(me.local_s);
  message.carrier->join();
  world_.interference_->end_simulated(message.footprint, message.token, world_.clock_s());
  const double until_s = std::max(me.local_s, world_.clock_s());
  me.phases.exposed_communication_s += until_s - me.local_s;
  me.local_s = until_s;
  if (!message.is_send) {
    const std::unique_ptr<std::vector<float>> numbers(message.numbers);
    std::ranges::copy(*numbers, message.payload.values.begin());
  }
}

Request SimFabric::start_all_reduce(Payload payload, double weight, const Communicator& among) {
  return enter_meeting(among, [&](Meeting& meeting, int member) {
    if (meeting.payloads.empty()) {
      meeting.kind = Meeting::Kind::all_reduce;
      meeting.label = "all-reduce";
      meeting.bytes = payload.bytes;
      meeting.payloads.resize(among.ranks.size());
      meeting.weights.resize(among.ranks.size());
    }
    meeting.payloads[static_cast<std::size_t>(member)] = payload;
    meeting.weights[static_cast<std::size_t>(member)] = weight;
  });
}

void SimFabric::broadcast(Payload payload, int root, const Communicator& among) {
  run_meeting(among, [&](Meeting& meeting, int member) {
    if (meeting.payloads.empty()) {
      meeting.kind = Meeting::Kind::broadcast;
      meeting.label = "broadcast";
      meeting.root = world_.state_of(among).member_of(root);
      meeting.bytes = payload.bytes;
      meeting.payloads.resize(among.ranks.size());
    }
    meeting.payloads[static_cast<std::size_t>(member)] = payload;
  });
}

void SimFabric::gather(Payload mine, Payload all, int root, const Communicator& among) {
  run_meeting(among, [&](Meeting& meeting, int member) {
    if (meeting.payloads.empty()) {
      meeting.kind = Meeting::Kind::gather;
      meeting.label = "gather";
      meeting.root = world_.state_of(among).member_of(root);
      meeting.payloads.resize(among.ranks.size());
      meeting.part_bytes.resize(among.ranks.size());
    }
    meeting.bytes += std::round(mine.bytes);
    meeting.part_bytes[static_cast<std::size_t>(member)] = std::round(mine.bytes);
    meeting.payloads[static_cast<std::size_t>(member)] = mine;
    if (rank_ == root) meeting.gathered = all;
  });
}

SharedNumbers SimFabric::all_gather(std::span<const double> mine, const Communicator& among) {
  const auto operation = enter_meeting(among, [&](Meeting& meeting, int member) {
    const std::size_t count = mine.size();
    if (meeting.numbers.empty()) {
      meeting.kind = Meeting::Kind::all_gather;
      meeting.label = "all-gather";
      meeting.numbers.resize(count * among.ranks.size());
      meeting.bytes = static_cast<double>(sizeof(double) * meeting.numbers.size());
    }
    std::ranges::copy(mine, meeting.numbers.begin() + static_cast<std::ptrdiff_t>(count) * member);
  });
  Meeting& meeting = *operation->meeting_;
  wait_for(meeting, operation->member_);
  if (!meeting.gathered_numbers) meeting.gathered_numbers = std::move(meeting.numbers);
  return *meeting.gathered_numbers;
}

void SimFabric::barrier(const Communicator& among) {
  run_meeting(among, [](Meeting& meeting, int) { meeting.kind = Meeting::Kind::barrier; });
}

Request SimFabric::start_message(int from, int to, Payload payload) {
  world_.sleep_until(self().local_s);
  auto message = std::make_shared<MessageOperation>();
  message->is_send = from == rank_;
  message->payload = payload;
  message->footprint = world_.footprint_of({from, to});
  message->token = world_.interference_->begin_simulated(message->footprint, self().local_s);
  World::Path& path = world_.path(from, to, kMessageChannel);
  const sg::SemaphorePtr posted = sg::Semaphore::create(0);
  const sg::SemaphorePtr before =
      std::exchange(message->is_send ? path.offered : path.asked, posted);
  if (message->is_send) {
    message->numbers = new std::vector<float>(payload.values.begin(), payload.values.end());
    ++world_.simulated_messages_;
    self().traffic += world_.traffic_between(from, to, payload.bytes);
  }
  message->carrier =
      sg::Actor::create("message", self().host, [this, message, &path, before, posted] {
        const double bytes = message->payload.bytes;
        world_.sleep_until(world_.clock_s() + path.way.latency_for_s(bytes));
        if (before) before->acquire();
        const sg::CommPtr transfer =
            message->is_send ? World::send_async(path, message->numbers, bytes)
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
