// SPDX-License-Identifier: Apache-2.0
// How collectives happen in a World: members meet, then the messages of the schedule are simulated,
// or what an earlier simulation of the same collective has cost is replayed.
#include <algorithm>
#include <cmath>

#include "collectives/one_to_all.hpp"
#include "collectives/registry.hpp"
#include "core/error.hpp"
#include "sim/exchange/world_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::shared_ptr<Meeting> World::next_meeting(CommunicatorState& state, int member) {
  const std::int64_t sequence = state.meetings_reached[static_cast<std::size_t>(member)]++;
  const auto place = static_cast<std::size_t>(sequence - state.first_meeting);
  if (place == state.meetings.size()) {
    const auto size = state.communicator.ranks.size();
    auto meeting = std::make_shared<Meeting>();
    meeting->among = &state.communicator;
    meeting->arrival_s.assign(size, 0);
    meeting->end_s.assign(size, kNever);
    meeting->is_awaited.assign(size, false);
    state.meetings.push_back(std::move(meeting));
  }
  std::shared_ptr<Meeting> meeting = state.meetings[place];
  if (++meeting->reached == state.communicator.size()) {
    state.meetings
        .pop_front();  // members reach meetings in order, so the first to be complete is the first
    ++state.first_meeting;
  }
  return meeting;
}

void World::join(const std::shared_ptr<Meeting>& meeting, int member) {
  Rank& self = rank(meeting->among->ranks[static_cast<std::size_t>(member)]);
  meeting->arrival_s[static_cast<std::size_t>(member)] = self.local_s;
  self.stream.push_back(meeting);
  if (self.stream.size() == 1) reach_head(meeting);
}

// By value: the streams let go of a meeting while it ends.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void World::reach_head(std::shared_ptr<Meeting> meeting) {
  if (++meeting->heads == meeting->among->size()) start(meeting);
}

void World::start(const std::shared_ptr<Meeting>& shared) {
  Meeting& meeting = *shared;
  double start_s = 0;
  for (std::size_t member = 0; member < meeting.arrival_s.size(); ++member) {
    start_s = std::max(
        {start_s, meeting.arrival_s[member], rank(meeting.among->ranks[member]).stream_free_s});
  }
  meeting.start_s = start_s + meeting_s(*meeting.among);
  if (meeting.has_numbers()) {
    if (meeting.kind == Meeting::Kind::all_reduce) meeting.schedule = schedule_of(meeting);
    move_numbers(meeting, meeting.schedule.get());
  }
  if (meeting.kind == Meeting::Kind::barrier || meeting.among->size() == 1) {
    for (int member = 0; member < meeting.among->size(); ++member)
      end(meeting, member, meeting.start_s, {});
  } else if (const auto seconds = fixed_s(meeting)) {
    for (int member = 0; member < meeting.among->size(); ++member)
      end(meeting, member, meeting.start_s + *seconds, {});
  } else if (!replay(meeting)) {
    simulate(shared);
  }
}

bool World::replay(Meeting& meeting) {
  if (!options_.is_accelerated) return false;
  const auto known = learned_.find(key_of(meeting));
  if (known == learned_.end()) return false;
  const LearnedCost& cost = known->second;
  const double last_s = *std::max_element(cost.duration_s.begin(), cost.duration_s.end());
  const Footprint& footprint = state_of(*meeting.among).footprint;
  if (!interference_->begin_replay(footprint, meeting.start_s, meeting.start_s + last_s))
    return false;
  for (std::size_t member = 0; member < cost.duration_s.size(); ++member) {
    end(meeting,
        static_cast<int>(member),
        meeting.start_s + cost.duration_s[member],
        cost.traffic[member]);
  }
  return true;
}

void World::simulate(const std::shared_ptr<Meeting>& shared) {
  Meeting& meeting = *shared;
  meeting.schedule = schedule_of(meeting);
  meeting.rounds = std::make_unique<RoundSkipper>(*meeting.schedule, options_.is_accelerated);
  for (const int index : meeting.among->ranks) {
    Rank& member = rank(index);
    member.to_simulate.push_back(shared);
    if (!member.stream_actor) {
      member.stream_actor =
          sg::Actor::create("stream", member.host, [this, index] { serve_stream(index); });
      member.stream_actor->daemonize();
    }
    member.work->release();
  }
}

void World::serve_stream(int index) {
  Rank& self = rank(index);
  while (true) {
    self.work->acquire();
    const std::shared_ptr<Meeting> meeting = self.to_simulate.front();
    self.to_simulate.pop_front();
    simulate_member(*meeting, state_of(*meeting->among).member_of(index));
  }
}

void World::simulate_member(Meeting& meeting, int member) {
  sleep_until(meeting.start_s);
  if (!meeting.token && !meeting.is_replayed) {
    // What kept it from being replayed when the last member came may be over by the start.
    meeting.is_replayed = true;  // first: replay() lets the other members' streams run
    if (!replay(meeting)) {
      meeting.is_replayed = false;
      meeting.token =
          interference_->begin_simulated(state_of(*meeting.among).footprint, meeting.start_s);
    }
  }
  if (meeting.is_replayed) return;
  const std::int64_t rounds = meeting.schedule->rounds(member);
  double ready_s = clock_s();  // for the next round
  for (std::int64_t index = 0; index < rounds;) {
    Traffic traffic;
    const Round round = meeting.schedule->round(member, index);
    ready_s = simulate_round(meeting, member, round, ready_s, traffic);
    index = meeting.rounds->completed(member, index, ready_s, traffic);
  }
  sleep_until(ready_s + meeting.rounds->owed_s(member));
  const double end_s = clock_s();
  meeting.end_s[static_cast<std::size_t>(member)] = end_s;
  // Before end(): that wakes the worker, who may start the next meeting at once.
  if (++meeting.finished == meeting.among->size()) learn(meeting);
  end(meeting, member, end_s, meeting.rounds->traffic(member));
}

const MessageCosts* World::messages_between(int rank, int other) const {
  return cluster_.messages_between(workers_[static_cast<std::size_t>(rank)].node,
                                   workers_[static_cast<std::size_t>(other)].node);
}

double World::meeting_s(const Communicator& among) const {
  // A dissemination barrier: everybody has heard of everybody after ⌈log2 P⌉ rounds.
  const auto node_of = [this](int index) { return workers_[static_cast<std::size_t>(index)].node; };
  const int first = among.ranks.front();
  const auto elsewhere = std::find_if(among.ranks.begin(), among.ranks.end(), [&](int index) {
    return node_of(index) != node_of(first);
  });
  const MessageCosts* costs =
      messages_between(first, elsewhere == among.ranks.end() ? first : *elsewhere);
  if (costs == nullptr || options_.fixed_exchange) return 0;
  return costs->meeting_s * std::ceil(std::log2(among.size()));
}

void World::learn(Meeting& meeting) {
  const bool was_alone = interference_->end_simulated(
      state_of(*meeting.among).footprint, meeting.token.value(), clock_s());
  // Rounds were omitted as if nobody else used the links.
  if (!was_alone && meeting.rounds->has_omitted()) interference_->set_conflict();
  if (!was_alone || !options_.is_accelerated) return;
  LearnedCost cost;
  for (int member = 0; member < meeting.among->size(); ++member) {
    cost.duration_s.push_back(meeting.end_s[static_cast<std::size_t>(member)] - meeting.start_s);
    cost.traffic.push_back(meeting.rounds->traffic(member));
  }
  learned_.emplace(key_of(meeting), std::move(cost));
}

void World::end(Meeting& meeting, int member, double end_s, const Traffic& traffic) {
  const auto index = static_cast<std::size_t>(member);
  Rank& self = rank(meeting.among->ranks[index]);
  meeting.end_s[index] = end_s;
  self.traffic += traffic;
  self.stream_free_s = end_s;
  if (end_s > meeting.start_s) {
    self.busy.push_back({meeting.start_s, end_s});
    if (pass_.timeline != nullptr) {
      pass_.timeline->add({.worker = meeting.among->ranks[index],
                           .stream = Stream::communication,
                           .name = meeting.label,
                           .start_s = meeting.start_s + self.skipped_s,
                           .end_s = end_s + self.skipped_s});
    }
  }
  self.stream.pop_front();
  if (!self.stream.empty()) reach_head(self.stream.front());
  // Last: the worker runs on at once, and must find its stream free. What it reaches next would
  // otherwise start from here, and what follows from there, until the stack is full.
  if (meeting.is_awaited[index]) self.wake->release();
}

std::shared_ptr<const Schedule> World::schedule_of(const Meeting& meeting) {
  std::shared_ptr<const Schedule>& known = schedules_[key_of(meeting)];
  if (known) return known;
  const Communicator& among = *meeting.among;
  switch (meeting.kind) {
    case Meeting::Kind::broadcast:
      known = std::make_shared<BinomialBroadcast>(among.size(), meeting.root);
      break;
    case Meeting::Kind::gather: {
      std::vector<std::int64_t> sizes;
      for (const double bytes : meeting.part_bytes) sizes.push_back(std::llround(bytes));
      known = std::make_shared<LinearGather>(sizes, meeting.root);
      break;
    }
    case Meeting::Kind::all_reduce:
    case Meeting::Kind::all_gather:
    case Meeting::Kind::barrier:
      known = make_all_reduce(among, workers_, std::llround(meeting.bytes));
      break;
  }
  return known;
}

std::optional<double> World::fixed_s(const Meeting& meeting) const {
  if (!options_.fixed_exchange) return std::nullopt;
  if (meeting.kind != Meeting::Kind::all_reduce)
    return 0;  // what is not an exchange of gradients or parameters is free
  const auto& given = options_.fixed_exchange->seconds;
  const auto& ranks = meeting.among->ranks;
  const std::string& device_class = workers_[static_cast<std::size_t>(ranks.front())].device_class;
  const bool is_one_class = std::all_of(ranks.begin(), ranks.end(), [&](int index) {
    return workers_[static_cast<std::size_t>(index)].device_class == device_class;
  });
  std::vector<std::string> keys;
  if (ranks.size() == workers_.size()) {
    if (is_one_class) keys.push_back(device_class);
    keys.emplace_back("all");
  } else {
    keys.emplace_back("node");
  }
  for (const std::string& key : keys) {
    const auto found = given.find(key);
    if (found != given.end()) return found->second;
  }
  throw UserError("--exchange-seconds: this strategy exchanges " +
                  std::string(keys.back() == "all" ? "among all workers" : "inside nodes") +
                  "; add " + keys.back() + "=TIME");
}

}  // namespace epochcast::sim
