// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/contention.hpp"

#include <algorithm>
#include <simgrid/s4u.hpp>

namespace epochcast::sim {

Contention::Contention(RuntimeState& state) : state_(state) {
  const std::vector<WorkerInfo>& workers = state.layout.workers();
  const bool is_free = std::none_of(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
    return worker.overlap.counts();
  });
  if (is_free) return;
  members_.resize(workers.size());
  for (Member& member : members_) {
    member.moving_changed = simgrid::s4u::Semaphore::create(0);
    for (Transfer& transfer : member.transfers)
      transfer.pace_changed = simgrid::s4u::Semaphore::create(0);
  }
}

void Contention::begin_pass() {
  for (Member& member : members_) {
    for (Transfer& transfer : member.transfers) {
      transfer.call = nullptr;
      transfer.is_pacing = false;
    }
    member.is_computing = false;
  }
}

bool Contention::concerns(const CollectiveCall& call) const {
  return !members_.empty() && call.is_exchange();
}

double Contention::compute(int rank, double seconds) {
  Member& self = members_[static_cast<std::size_t>(rank)];
  Clocks& clocks = state_.clocks;
  const double began_s = clocks.of(rank).local_s;
  clocks.sleep_until(began_s);
  self.is_computing = true;
  apply_to_all(rank, 1);
  for (double left_s = seconds; left_s > 0;) {
    const double slowdown =
        self.is_moving() ? state_.layout.worker(rank).overlap.batch_slowdown : 1;
    const double since_s = clocks.simgrid_s();
    const bool is_over = self.moving_changed->acquire_timeout(left_s * slowdown);
    left_s = is_over ? 0 : left_s - (clocks.simgrid_s() - since_s) / slowdown;
  }
  self.is_computing = false;
  apply_to_all(rank, -1);
  return clocks.simgrid_s() - began_s;
}

void Contention::apply(CollectiveCall& call, int rank, int computing) {
  ContendedProgress& progress = call.progress;
  const double before = progress.slowdown();
  const double now_s = state_.clocks.simgrid_s();
  progress.done_s += (now_s - progress.at_s) / before;
  progress.at_s = now_s;
  const double slowdown = state_.layout.worker(rank).overlap.exchange_slowdown;
  if ((progress.slowed_by[slowdown] += computing) == 0) progress.slowed_by.erase(slowdown);
  if (progress.slowdown() == before) return;
  for (const int index : call.among->ranks) {
    Member& member = members_[static_cast<std::size_t>(index)];
    Transfer& transfer = transfer_of(member, call);
    if (transfer.is_pacing && transfer.call.get() == &call) transfer.pace_changed->release();
  }
}

void Contention::apply_to_all(int rank, int computing) {
  for (const Transfer& transfer : members_[static_cast<std::size_t>(rank)].transfers)
    if (transfer.call) apply(*transfer.call, rank, computing);
}

void Contention::begin_moving(const std::shared_ptr<CollectiveCall>& call, int member) {
  const int rank = call->among->ranks[static_cast<std::size_t>(member)];
  Member& self = members_[static_cast<std::size_t>(rank)];
  transfer_of(self, *call).call = call;
  if (!self.is_computing) return;
  apply(*call, rank, 1);
  self.moving_changed->release();
}

void Contention::pace(CollectiveCall& call, int member, double uncontended_s) {
  const int rank = call.among->ranks[static_cast<std::size_t>(member)];
  Member& self = members_[static_cast<std::size_t>(rank)];
  const ContendedProgress& progress = call.progress;
  Transfer& transfer = transfer_of(self, call);
  transfer.is_pacing = true;
  while (true) {
    const double slowdown = progress.slowdown();
    const double done_s = progress.done_s + (state_.clocks.simgrid_s() - progress.at_s) / slowdown;
    const double left_s = (uncontended_s - done_s) * slowdown;
    if (left_s <= state_.clocks.rounding_now_s() || transfer.pace_changed->acquire_timeout(left_s))
      break;
  }
  transfer.is_pacing = false;
  transfer.call = nullptr;
  if (!self.is_computing) return;
  apply(call, rank, -1);
  self.moving_changed->release();
}

}  // namespace epochcast::sim
