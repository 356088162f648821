// SPDX-License-Identifier: Apache-2.0
// How collectives happen in a Runtime: members meet, then the messages of the schedule are
// simulated, or what an earlier simulation of the same collective has cost is replayed.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "collectives/all_gather.hpp"
#include "collectives/one_to_all.hpp"
#include "collectives/registry.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::shared_ptr<CollectiveCall> Runtime::next_call(CommunicatorState& state, int member) {
  const std::int64_t sequence = state.calls_reached[static_cast<std::size_t>(member)]++;
  const auto place = static_cast<std::size_t>(sequence - state.first_call);
  if (place == state.calls.size()) {
    const auto size = state.communicator.ranks.size();
    auto call = std::make_shared<CollectiveCall>();
    call->among = &state.communicator;
    call->arrival_s.assign(size, 0);
    call->end_s.assign(size, kNever);
    call->is_awaited.assign(size, false);
    call->uncontended_s.assign(size, 0);
    state.calls.push_back(std::move(call));
  }
  std::shared_ptr<CollectiveCall> call = state.calls[place];
  if (++call->reached == state.communicator.size()) {
    state.calls.pop_front();  // members reach calls in order, so the first call is complete first
    ++state.first_call;
  }
  return call;
}

void Runtime::join(const std::shared_ptr<CollectiveCall>& call, int member) {
  Rank& self = rank(call->among->ranks[static_cast<std::size_t>(member)]);
  if (overlap_costs(*call)) sleep_until(self.local_s);  // computation depends on it
  call->arrival_s[static_cast<std::size_t>(member)] = self.local_s;
  self.stream.push_back(call);
  if (self.stream.size() == 1) reach_head(call);
}

// By value: the streams release a call while it ends.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void Runtime::reach_head(std::shared_ptr<CollectiveCall> call) {
  if (++call->heads == call->among->size()) start(call);
}

void Runtime::start(const std::shared_ptr<CollectiveCall>& shared) {
  CollectiveCall& call = *shared;
  double last_s = 0;
  for (std::size_t member = 0; member < call.arrival_s.size(); ++member) {
    const Rank& self = rank(call.among->ranks[member]);
    const double ready_s = std::max(call.arrival_s[member], self.stream_free_s);
    last_s = std::max(last_s, ready_s);
  }
  call.start_s = last_s + state_of(*call.among).barrier_s;
  call.progress_at_s = call.start_s;
  if (call.has_numbers()) {
    if (call.kind == CollectiveCall::Kind::all_reduce) call.schedule = schedule_of(call);
    move_numbers(call, call.schedule.get());
  }
  if (!ends_at_once(call)) simulate(shared);
}

bool Runtime::ends_at_once(CollectiveCall& call) {
  const auto end_after = [&](double seconds) {
    for (int member = 0; member < call.among->size(); ++member)
      end(call, member, call.start_s + seconds, {});
    return true;
  };
  if (call.kind == CollectiveCall::Kind::barrier || call.among->size() == 1) return end_after(0);
  if (overlap_costs(call)) return false;  // its end depends on computation until then
  if (const auto seconds = fixed_s(call)) return end_after(*seconds);
  return replay(call);
}

const LearnedCost* Runtime::replayed_cost(CollectiveCall& call) {
  if (!options_.is_accelerated) return nullptr;
  const auto known = learned_.find(key_of(call));
  if (known == learned_.end()) return nullptr;
  const LearnedCost& cost = known->second;
  double last_s = *std::max_element(cost.duration_s.begin(), cost.duration_s.end());
  if (overlap_costs(call)) last_s *= largest_contention_;
  const Footprint& footprint = state_of(*call.among).footprint;
  return interference_->begin_replay(footprint, call.start_s, call.start_s + last_s) ? &cost
                                                                                     : nullptr;
}

bool Runtime::replay(CollectiveCall& call) {
  const LearnedCost* const cost = replayed_cost(call);
  if (cost == nullptr) return false;
  for (std::size_t member = 0; member < cost->duration_s.size(); ++member) {
    end(call,
        static_cast<int>(member),
        call.start_s + cost->duration_s[member],
        cost->traffic[member]);
  }
  return true;
}

void Runtime::simulate(const std::shared_ptr<CollectiveCall>& shared) {
  CollectiveCall& call = *shared;
  call.schedule = schedule_of(call);
  if (const MessageCosts* const costs = measured_costs(call)) {
    const std::string& algorithm = call.among->all_reduce.algorithm;
    const int members = call.among->size();
    call.measured_factor = costs->measured_factor(algorithm, call.bytes, members);
  }
  call.rounds = std::make_unique<RoundSkipper>(*call.schedule, options_.is_accelerated);
  for (const int index : call.among->ranks) {
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

void Runtime::serve_stream(int index) {
  Rank& self = rank(index);
  while (true) {
    self.work->acquire();
    const std::shared_ptr<CollectiveCall> call = self.to_simulate.front();
    self.to_simulate.pop_front();
    simulate_member(call, call->among->member_of(index));
  }
}

void Runtime::simulate_member(const std::shared_ptr<CollectiveCall>& shared, int member) {
  CollectiveCall& call = *shared;
  sleep_until(call.start_s);
  if (overlap_costs(call)) {
    exchange_beside(shared, member);
    return;
  }
  if (!call.token && !call.is_replayed) {
    // The conflict that prevented a replay at the last arrival may have ended by the start.
    call.is_replayed = true;  // first: replay() lets the other members' streams run
    if (!replay(call)) {
      call.is_replayed = false;
      call.token = interference_->begin_simulated(state_of(*call.among).footprint, call.start_s);
    }
  }
  if (call.is_replayed) return;
  const Traffic sent = simulate_rounds(call, member);
  const double end_s = clock_s();
  call.end_s[static_cast<std::size_t>(member)] = end_s;
  // Before end(): that wakes the worker, which may start the next call at once.
  if (++call.finished == call.among->size()) learn(call);
  end(call, member, end_s, sent);
}

Traffic Runtime::simulate_rounds(CollectiveCall& call, int member) {
  const std::int64_t rounds = call.schedule->rounds(member);
  double ready_s = clock_s();  // for the next round
  for (std::int64_t index = 0; index < rounds;) {
    Traffic traffic;
    const Round round = call.schedule->round(member, index);
    ready_s = simulate_round(call, member, round, ready_s, traffic);
    index = call.rounds->completed(member, index, ready_s, traffic);
  }
  sleep_until(ready_s + call.rounds->omitted_s(member));
  call.uncontended_s[static_cast<std::size_t>(member)] = clock_s() - call.start_s;
  return call.rounds->traffic(member);
}

double Runtime::barrier_s(const std::vector<int>& ranks) const {
  if (options_.fixed_exchange) return 0;
  const auto node_of = [this](int index) { return workers_[static_cast<std::size_t>(index)].node; };
  const bool is_in_a_node = std::all_of(ranks.begin(), ranks.end(), [&](int index) {
    return node_of(index) == node_of(ranks.front());
  });
  double round_s = 0;
  for (const int index : ranks) {
    const int node = node_of(index);
    const MessageCosts* costs =
        is_in_a_node ? cluster_.messages_between(node, node) : cluster_.messages_out_of(node);
    if (costs != nullptr) round_s = std::max(round_s, costs->barrier_round_s);
  }
  // A dissemination barrier: ⌈log2 P⌉ rounds, each as slow as its slowest
  // member.
  return std::ceil(std::log2(ranks.size())) * round_s;
}

const MessageCosts* Runtime::measured_costs(const CollectiveCall& call) const {
  if (call.kind != CollectiveCall::Kind::all_reduce) return nullptr;
  const auto node_of = [this](int index) { return workers_[static_cast<std::size_t>(index)].node; };
  const auto& ranks = call.among->ranks;
  const int first = node_of(ranks.front());
  const auto other =
      std::find_if(ranks.begin(), ranks.end(), [&](int index) { return node_of(index) != first; });
  return cluster_.messages_between(first, other == ranks.end() ? first : node_of(*other));
}

void Runtime::learn(CollectiveCall& call) {
  const bool was_alone =
      interference_->end_simulated(state_of(*call.among).footprint, call.token.value(), clock_s());
  // Rounds were omitted under the assumption of exclusive links.
  if (!was_alone && call.rounds->has_omitted()) interference_->set_conflict();
  if (!was_alone || !options_.is_accelerated) return;
  LearnedCost cost;
  for (int member = 0; member < call.among->size(); ++member) {
    cost.duration_s.push_back(call.uncontended_s[static_cast<std::size_t>(member)]);
    cost.traffic.push_back(call.rounds->traffic(member));
  }
  learned_.emplace(key_of(call), std::move(cost));
}

void Runtime::end(CollectiveCall& call, int member, double end_s, const Traffic& traffic) {
  const auto index = static_cast<std::size_t>(member);
  Rank& self = rank(call.among->ranks[index]);
  call.end_s[index] = end_s;
  self.traffic += traffic;
  self.stream_free_s = end_s;
  if (end_s > call.start_s) {
    self.busy.push_back({call.start_s, end_s});
    if (pass_.timeline != nullptr) {
      pass_.timeline->add({.worker = call.among->ranks[index],
                           .stream = Stream::communication,
                           .name = call.label,
                           .start_s = call.start_s + self.skipped_s,
                           .end_s = end_s + self.skipped_s,
                           .bytes = call.bytes});
    }
  }
  self.stream.pop_front();
  if (!self.stream.empty()) reach_head(self.stream.front());
  // Last: the worker continues at once, and needs a free stream. Otherwise its next call would
  // start from here, and recursively the following ones, until the stack overflows.
  if (call.is_awaited[index]) self.wake->release();
}

std::shared_ptr<const Schedule> Runtime::schedule_of(const CollectiveCall& call) {
  std::shared_ptr<const Schedule>& known = schedules_[key_of(call)];
  if (known) return known;
  const Communicator& among = *call.among;
  switch (call.kind) {
    case CollectiveCall::Kind::broadcast:
      known = std::make_shared<BinomialBroadcast>(among.size(), call.root);
      break;
    case CollectiveCall::Kind::gather: {
      std::vector<std::int64_t> sizes;
      for (const double bytes : call.part_bytes) sizes.push_back(std::llround(bytes));
      known = std::make_shared<LinearGather>(sizes, call.root);
      break;
    }
    case CollectiveCall::Kind::all_gather:
      known = std::make_shared<BruckAllGather>(among.size());
      break;
    case CollectiveCall::Kind::all_reduce:
    case CollectiveCall::Kind::barrier:
      known = make_all_reduce(among, workers_, std::llround(call.bytes));
      break;
  }
  return known;
}

std::string Runtime::all_reduce_label(const Communicator& among) const {
  std::string label = "all-reduce";
  if (pass_.timeline == nullptr || among.ranks.size() == workers_.size()) return label;
  std::set<int> nodes;
  for (const int index : among.ranks) nodes.insert(workers_[static_cast<std::size_t>(index)].node);
  if (nodes.size() == 1) return label + " inside node " + std::to_string(*nodes.begin());
  return label + " of " + std::to_string(among.size()) + " workers on " +
         std::to_string(nodes.size()) + " nodes";
}

std::optional<double> Runtime::fixed_s(const CollectiveCall& call) const {
  if (!options_.fixed_exchange) return std::nullopt;
  if (call.kind != CollectiveCall::Kind::all_reduce)
    return 0;  // only exchanges of gradients or parameters have costs
  const auto& given = options_.fixed_exchange->seconds;
  const auto& ranks = call.among->ranks;
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
