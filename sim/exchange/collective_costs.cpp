// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/collective_costs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "collectives/all_gather.hpp"
#include "collectives/nccl.hpp"
#include "collectives/one_to_all.hpp"
#include "collectives/registry.hpp"

namespace epochcast::sim {

std::shared_ptr<const Schedule> CollectiveCosts::schedule_of(const CollectiveCall& call) {
  std::shared_ptr<const Schedule>& known = schedules_[key_of(call)];
  if (known) return known;
  const Communicator& among = *call.among;
  switch (call.kind) {
    case CollectiveCall::Kind::broadcast:
      known = std::make_shared<BinomialBroadcast>(among.size(), call.root);
      break;
    case CollectiveCall::Kind::gather:
      known = std::make_shared<LinearGather>(call.part_counts, call.root);
      break;
    case CollectiveCall::Kind::reduce_scatter:
      known = make_reduce_scatter(among, call.part_counts, std::llround(call.bytes));
      break;
    case CollectiveCall::Kind::all_gather:
      known = make_all_gather(among, call.part_counts, std::llround(call.bytes));
      break;
    case CollectiveCall::Kind::all_gather_numbers:
      known = std::make_shared<BruckAllGather>(among.size());
      break;
    case CollectiveCall::Kind::all_reduce:
    case CollectiveCall::Kind::barrier:
      known = make_all_reduce(among, state_.layout.workers(), std::llround(call.bytes));
      break;
  }
  return known;
}

std::optional<MessageTransport> CollectiveCosts::transport_of(const CollectiveCall& call) const {
  const Communicator& among = *call.among;
  const bool is_half = call.kind == CollectiveCall::Kind::reduce_scatter ||
                       call.kind == CollectiveCall::Kind::all_gather;
  if (!is_half || among.all_reduce.algorithm != "nccl") return call.schedule->transport();
  std::vector<int> nodes;
  for (const int rank : among.ranks) nodes.push_back(state_.layout.worker(rank).node);
  return nccl_half_transport(nodes, among.all_reduce.links, std::llround(call.bytes));
}

double CollectiveCosts::measured_factor(const CollectiveCall& call) const {
  if (!call.is_exchange()) return 1;
  const Communicator& among = *call.among;
  const MessageCosts* const costs = state_.layout.message_costs(among.ranks);
  if (costs == nullptr) return 1;
  return costs->measured_factor(among.all_reduce.algorithm, call.bytes, among.size());
}

std::optional<double> CollectiveCosts::fixed_s(const CollectiveCall& call) const {
  if (!state_.options.fixed_exchange) return std::nullopt;
  if (!call.is_exchange()) return 0;
  const double part = call.kind == CollectiveCall::Kind::all_reduce ? 1 : 0.5;
  const auto& given = state_.options.fixed_exchange->seconds;
  const auto& ranks = call.among->ranks;
  const std::string& device_class = state_.layout.worker(ranks.front()).device_class;
  const bool is_one_class = std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
    return state_.layout.worker(rank).device_class == device_class;
  });
  std::vector<std::string> keys;
  if (ranks.size() == state_.layout.workers().size()) {
    if (is_one_class) keys.push_back(device_class);
    keys.emplace_back("all");
  } else {
    keys.emplace_back("node");
  }
  for (const std::string& key : keys) {
    const auto found = given.find(key);
    if (found != given.end()) return part * found->second;
  }
  throw UserError("--exchange-seconds: this strategy exchanges " +
                  std::string(keys.back() == "all" ? "among all workers" : "inside nodes") +
                  "; add " + keys.back() + "=TIME");
}

const LearnedCost* CollectiveCosts::learned(const CollectiveCall& call) const {
  if (state_.options.acceleration != Acceleration::all) return nullptr;
  const auto known = learned_.find(key_of(call));
  return known == learned_.end() ? nullptr : &known->second;
}

const LearnedCost* CollectiveCosts::begin_replay(const CollectiveCall& call) {
  const LearnedCost* const cost = learned(call);
  if (cost == nullptr) return nullptr;
  const double last_s = *std::max_element(cost->duration_s.begin(), cost->duration_s.end());
  const Footprint& footprint = state_.communicators.footprint(*call.among);
  const bool is_free =
      state_.interference.begin_replay(footprint, call.start_s, call.start_s + last_s);
  return is_free ? cost : nullptr;
}

const LearnedCost* CollectiveCosts::begin_slowed_replay(const CollectiveCall& call) {
  const LearnedCost* const cost = learned(call);
  if (cost == nullptr) return nullptr;
  const Footprint& footprint = state_.communicators.footprint(*call.among);
  return state_.interference.begin_replay(footprint, call.start_s) ? cost : nullptr;
}

void CollectiveCosts::end_slowed_replay(const CollectiveCall& call) {
  state_.interference.end_replay(state_.communicators.footprint(*call.among),
                                 state_.clocks.simgrid_s());
}

void CollectiveCosts::begin_simulated(CollectiveCall& call) {
  const Footprint& footprint = state_.communicators.footprint(*call.among);
  call.token = state_.interference.begin_simulated(footprint, call.start_s);
}

bool CollectiveCosts::is_alone(const CollectiveCall& call) const {
  return state_.interference.is_alone(state_.communicators.footprint(*call.among),
                                      call.token.value());
}

void CollectiveCosts::end_simulated(CollectiveCall& call) {
  const Footprint& footprint = state_.communicators.footprint(*call.among);
  const bool was_alone =
      state_.interference.end_simulated(footprint, call.token.value(), state_.clocks.simgrid_s());
  // Rounds were omitted under the assumption of exclusive links.
  if (!was_alone && call.rounds->has_omitted()) state_.interference.set_conflict();
  if (!was_alone || state_.options.acceleration != Acceleration::all) return;
  LearnedCost cost;
  for (int member = 0; member < call.among->size(); ++member) {
    cost.duration_s.push_back(call.uncontended_s[static_cast<std::size_t>(member)]);
    cost.traffic.push_back(call.rounds->traffic(member));
  }
  learned_.emplace(key_of(call), std::move(cost));
}

}  // namespace epochcast::sim
