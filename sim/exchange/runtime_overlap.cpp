// SPDX-License-Identifier: Apache-2.0
// What computing and exchanging at the same time costs a Runtime's workers (OverlapCost).
//
// A worker computes at 1 / batch_slowdown of its speed while its stream moves messages. A
// collective goes on at 1 / s of its speed, s being the largest exchange_slowdown among those
// members that compute: each round waits for its slowest. Its messages are simulated (or replayed)
// as if nobody computed; a member then waits until the collective, at its changing speed, has come
// as far.
#include <utility>

#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {

bool Runtime::overlap_costs(const CollectiveCall& call) const {
  return overlap_costs_ && call.kind == CollectiveCall::Kind::all_reduce;
}

double Runtime::compute_beside(int index, double seconds) {
  Rank& self = rank(index);
  const OverlapCost& cost = workers_[static_cast<std::size_t>(index)].overlap;
  sleep_until(self.local_s);
  self.is_computing = true;
  if (self.moving) apply_contention(*self.moving, cost.exchange_slowdown, 1);
  for (double left_s = seconds; left_s > 0;) {
    const double slowdown = self.moving ? cost.batch_slowdown : 1;
    const double since_s = clock_s();
    const bool is_over = self.moving_changed->acquire_timeout(left_s * slowdown);
    left_s = is_over ? 0 : left_s - (clock_s() - since_s) / slowdown;
  }
  self.is_computing = false;
  if (self.moving) apply_contention(*self.moving, cost.exchange_slowdown, -1);
  return clock_s() - self.local_s;
}

void Runtime::apply_contention(CollectiveCall& call, double slowdown, int members) {
  const double before = call.slowdown();
  call.progress_s += (clock_s() - call.progress_at_s) / before;
  call.progress_at_s = clock_s();
  if ((call.slowed_by[slowdown] += members) == 0) call.slowed_by.erase(slowdown);
  if (call.slowdown() == before) return;
  for (const int index : call.among->ranks) {
    Rank& member = rank(index);
    if (member.is_pacing && member.moving.get() == &call) member.pace_changed->release();
  }
}

void Runtime::begin_moving(const std::shared_ptr<CollectiveCall>& call, int member) {
  const int index = call->among->ranks[static_cast<std::size_t>(member)];
  Rank& self = rank(index);
  self.moving = call;
  if (!self.is_computing) return;
  apply_contention(*call, workers_[static_cast<std::size_t>(index)].overlap.exchange_slowdown, 1);
  self.moving_changed->release();
}

void Runtime::pace(CollectiveCall& call, int member, double uncontended_s) {
  const int index = call.among->ranks[static_cast<std::size_t>(member)];
  Rank& self = rank(index);
  self.is_pacing = true;
  while (true) {
    const double slowdown = call.slowdown();
    const double progress_s = call.progress_s + (clock_s() - call.progress_at_s) / slowdown;
    const double left_s = (uncontended_s - progress_s) * slowdown;
    if (left_s <= rounding_s(simgrid::s4u::Engine::get_clock()) ||
        self.pace_changed->acquire_timeout(left_s))
      break;
  }
  self.is_pacing = false;
  self.moving = nullptr;
  if (!self.is_computing) return;
  apply_contention(call, workers_[static_cast<std::size_t>(index)].overlap.exchange_slowdown, -1);
  self.moving_changed->release();
}

void Runtime::exchange_beside(const std::shared_ptr<CollectiveCall>& shared, int member) {
  CollectiveCall& call = *shared;
  const auto place = static_cast<std::size_t>(member);
  const std::optional<double> fixed = fixed_s(call);
  if (!fixed && !call.token && call.replayed == nullptr) {
    call.replayed = replayed_cost(call);
    if (call.replayed == nullptr)
      call.token = interference_->begin_simulated(state_of(*call.among).footprint, call.start_s);
  }
  begin_moving(shared, member);
  if (fixed) {
    pace(call, member, *fixed);
    end(call, member, clock_s(), {});
    return;
  }
  if (call.replayed != nullptr) {
    pace(call, member, call.replayed->duration_s[place]);
    end(call, member, clock_s(), call.replayed->traffic[place]);
    return;
  }
  const Traffic sent = simulate_rounds(call, member);
  pace(call, member, call.uncontended_s[place]);
  call.end_s[place] = clock_s();
  if (++call.finished == call.among->size()) learn(call);  // before end(), as everywhere
  end(call, member, call.end_s[place], sent);
}

}  // namespace epochcast::sim
