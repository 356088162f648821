// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_fabric.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "sim/world_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr int kMessageChannel = 1;
// Pilot passes run this many iterations of a loop (fewer of nested ones, since theirs multiply);
// the passes after them only a few.
constexpr std::int64_t kPilotIterations = 32;
constexpr std::int64_t kNestedPilotIterations = 8;
constexpr std::int64_t kSampledIterations = 4;

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
  sg::CommPtr transfer;
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
  return world_.state_of(among).index_of[static_cast<std::size_t>(rank_)];
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
  message.transfer->wait();
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
      meeting.root = world_.state_of(among).index_of[static_cast<std::size_t>(root)];
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
      meeting.root = world_.state_of(among).index_of[static_cast<std::size_t>(root)];
      meeting.payloads.resize(among.ranks.size());
      meeting.part_bytes.resize(among.ranks.size());
    }
    meeting.bytes += std::round(mine.bytes);
    meeting.part_bytes[static_cast<std::size_t>(member)] = std::round(mine.bytes);
    meeting.payloads[static_cast<std::size_t>(member)] = mine;
    if (rank_ == root) meeting.gathered = all;
  });
}

std::vector<double> SimFabric::all_gather(std::span<const double> mine, const Communicator& among) {
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
  wait_for(*operation->meeting_, operation->member_);
  return operation->meeting_->numbers;
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
  sg::Mailbox* box = world_.mailbox(from, to, kMessageChannel);
  if (message->is_send) {
    const auto bytes = static_cast<std::uint64_t>(std::llround(payload.bytes));
    auto numbers =
        std::make_unique<std::vector<float>>(payload.values.begin(), payload.values.end());
    message->transfer = box->put_async(numbers.release(), bytes);
    ++world_.simulated_messages_;
    const Traffic sent = world_.traffic_between(from, to, payload.bytes);
    self().traffic.intra_node_bytes += sent.intra_node_bytes;
    self().traffic.inter_node_bytes += sent.inter_node_bytes;
  } else {
    message->transfer = box->get_async<std::vector<float>>(&message->numbers);
  }
  return message;
}

Request SimFabric::start_send(int to, Payload payload) { return start_message(rank_, to, payload); }

Request SimFabric::start_receive(int from, Payload payload) {
  return start_message(from, rank_, payload);
}

LoopWatch::Rule SimFabric::rule_for(const Communicator& among,
                                    std::int64_t sequence,
                                    int depth,
                                    std::int64_t count) {
  // Every communicator draws its own luck: nodes that wait for each other must not be slow
  // together.
  const std::uint64_t seed = mix_seed(world_.pass_.seed, static_cast<std::uint64_t>(among.id));
  LoopWatch::Rule rule = {.is_noisy = world_.pass_.is_noisy,
                          .seed = mix_seed(seed, static_cast<std::uint64_t>(sequence) + 1)};
  if (!rule.is_noisy) return rule;
  rule.sampled = count;
  if (depth == 0) {
    if (world_.epochs_to_sample_ > 0) rule.sampled = std::min(count, world_.epochs_to_sample_);
    return rule;
  }
  const LoopKey key = {among.id, self().epoch, depth, count};
  if (world_.pass_.is_pilot) {
    rule.sampled = std::min(count, depth == 1 ? kPilotIterations : kNestedPilotIterations);
    if (rule.sampled < count) rule.pilot = &world_.loop_statistics_[key];
  } else if (const auto found = world_.loop_statistics_.find(key);
             found != world_.loop_statistics_.end()) {
    rule.sampled = std::min(count, kSampledIterations);
    rule.known = &found->second;
  }
  return rule;
}

void SimFabric::repeat(const Communicator& among,
                       std::int64_t count,
                       const std::function<void(std::int64_t)>& body) {
  World::Rank& me = self();
  World::CommunicatorState& state = world_.state_of(among);
  const int member = member_of(among);
  const std::int64_t sequence = state.loops_entered[static_cast<std::size_t>(member)]++;
  const int depth = me.loop_depth++;
  std::shared_ptr<LoopWatch>& shared = state.loops[sequence];
  if (!shared)
    shared =
        std::make_shared<LoopWatch>(among.size(), count, rule_for(among, sequence, depth, count));
  const std::shared_ptr<LoopWatch> watch = shared;
  if (world_.options_.is_accelerated) watch->report(member, 0, meters());
  for (std::int64_t i = 0; i < count; ++i) {
    if (depth == 0) me.epoch = i;
    body(i);
    if (!world_.options_.is_accelerated) continue;
    const bool has_verdict = watch->looks_after(i + 1);
    const bool is_last = watch->report(member, i + 1, meters());
    if (!has_verdict) continue;
    wait_for_verdict(*watch, is_last);
    if (watch->omitted() == 0) continue;
    const Meters owed = watch->owed(member);
    if (world_.pass_.timeline != nullptr) {
      world_.pass_.timeline->add({.worker = rank_,
                                  .stream = Stream::compute,
                                  .name = std::to_string(watch->omitted()) + " more like this",
                                  .start_s = now_s(),
                                  .end_s = now_s() + owed.now_s});
    }
    skip(state, member, owed);
    me.phases.compute_s += owed.phases.compute_s;
    me.phases.exposed_communication_s += owed.phases.exposed_communication_s;
    me.phases.blocked_s += owed.phases.blocked_s;
    me.traffic.intra_node_bytes += owed.traffic.intra_node_bytes;
    me.traffic.inter_node_bytes += owed.traffic.inter_node_bytes;
    break;
  }
  --me.loop_depth;
  if (depth == 0 && !world_.pass_.is_noisy && watch->settled_after() > 0) {
    world_.epochs_to_sample_ = watch->has_transient() ? watch->settled_after() : 1;
  }
  if (++watch->left == among.size()) state.loops.erase(sequence);
}

void SimFabric::skip(const World::CommunicatorState& state, int member, const Meters& owed) {
  World::Rank& me = self();
  if (state.communicator.size() == static_cast<int>(world_.ranks_.size())) {
    me.skipped_s += owed.now_s;
    return;
  }
  // Others may omit more or less, or go on exchanging: the clock they compare has to move.
  const double from_s = me.local_s;
  me.local_s += owed.now_s;
  const bool has_exchanged = owed.traffic.intra_node_bytes + owed.traffic.inter_node_bytes > 0;
  if (member == 0 && has_exchanged &&
      !world_.interference_->begin_replay(state.footprint, from_s, me.local_s)) {
    world_.interference_->set_conflict();
  }
}

void SimFabric::wait_for_verdict(LoopWatch& watch, bool is_last) {
  if (!is_last) {
    watch.waiting.push_back(rank_);
    self().wake->acquire();
    return;
  }
  for (const int waiting : watch.waiting) world_.rank(waiting).wake->release();
  watch.waiting.clear();
}

}  // namespace epochcast::sim
