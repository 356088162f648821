// SPDX-License-Identifier: Apache-2.0
#include "sim/loops/loops.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/statistics/random.hpp"

namespace epochcast::sim {
namespace {

// Pilot passes run at least this many iterations of a loop (fewer of nested ones, since theirs
// multiply); the passes after them only a few.
constexpr std::int64_t kPilotIterations = 32;
constexpr std::int64_t kNestedPilotIterations = 8;
constexpr std::int64_t kSampledIterations = 4;

}  // namespace

Loops::Loops(RuntimeState& state) : state_(state), positions_(state.layout.workers().size()) {}

void Loops::begin_pass() {
  for (Position& position : positions_) {
    position.loops.clear();
    position.entered.clear();
    position.changes = 0;
  }
  watches_.clear();
}

Meters Loops::meters(int rank) {
  const WorkerClock& clock = state_.clocks.of(rank);
  return {.now_s = clock.now_s(), .phases = clock.phases, .traffic = clock.traffic};
}

LoopWatch::Rule Loops::rule_for(const Position& position,
                                const Communicator& among,
                                std::int64_t sequence,
                                std::int64_t count) {
  const PassOptions& pass = state_.pass;
  // Every communicator has its own random stream: nodes that wait for each other must vary
  // independently.
  const std::uint64_t seed = mix_seed(pass.seed, static_cast<std::uint64_t>(among.id));
  LoopWatch::Rule rule = {.is_noisy = pass.is_noisy,
                          .seed = mix_seed(seed, static_cast<std::uint64_t>(sequence) + 1)};
  if (!rule.is_noisy) return rule;
  rule.sampled = count;
  const std::size_t depth = position.loops.size() - 1;
  if (depth == 0) {
    if (epochs_to_sample_ > 0) rule.sampled = std::min(count, epochs_to_sample_);
    rule.is_like_last = true;
    return rule;
  }
  const LoopKey key = {pass.session, among.id, position.epoch, position.loops};
  if (pass.pilot_iterations > 0) {
    const std::int64_t least = depth == 1 ? kPilotIterations : kNestedPilotIterations;
    rule.sampled = std::min(count, std::max(least, pass.pilot_iterations));
    if (rule.sampled < count) rule.pilot = &statistics_[key];
  } else if (const auto found = statistics_.find(key); found != statistics_.end()) {
    rule.sampled = std::min(count, kSampledIterations);
    rule.known = &found->second;
  }
  return rule;
}

bool Loops::may_claim_links(const Communicator& among) const {
  return are_all(among) ||
         !state_.interference.is_simulating(state_.communicators.footprint(among));
}

void Loops::claim_links(const Communicator& among, const LoopWatch& watch) {
  if (are_all(among)) return;  // no other ranks use links
  double all_here_s = 0;
  bool has_exchanged = false;
  for (int member = 0; member < among.size(); ++member) {
    const Traffic sent = watch.omitted_meters(member).traffic;
    has_exchanged = has_exchanged || sent.intra_node_bytes + sent.inter_node_bytes > 0;
    const int rank = among.ranks[static_cast<std::size_t>(member)];
    all_here_s = std::max(all_here_s, state_.clocks.of(rank).local_s);
  }
  // The next exchange starts when all have arrived, with the same skew as at its end.
  const double until_s = all_here_s + watch.omitted_meters(0).now_s;
  Interference& interference = state_.interference;
  const Footprint& footprint = state_.communicators.footprint(among);
  if (has_exchanged && !interference.begin_replay(footprint, all_here_s, until_s))
    interference.set_conflict();
}

void Loops::catch_up_with_simgrid() {
  double first_s = state_.clocks.of(0).local_s;
  for (std::size_t rank = 1; rank < positions_.size(); ++rank)
    first_s = std::min(first_s, state_.clocks.of(static_cast<int>(rank)).local_s);
  const double now_s = state_.clocks.simgrid_s();
  const double behind_s = now_s - first_s;
  // Times of exchanges in progress would have to move, too.
  if (behind_s <= 0 || !state_.interference.is_idle_from(now_s)) return;
  for (std::size_t rank = 0; rank < positions_.size(); ++rank) {
    WorkerClock& clock = state_.clocks.of(static_cast<int>(rank));
    clock.local_s += behind_s;
    clock.skipped_s -= behind_s;
  }
}

void Loops::skip(int rank, const Communicator& among, const LoopWatch& watch) {
  WorkerClock& clock = state_.clocks.of(rank);
  const Meters omitted = watch.omitted_meters(among.member_of(rank));
  if (state_.pass.timeline != nullptr) {
    state_.pass.timeline->add({.worker = rank,
                               .stream = Stream::omitted,
                               .name = std::to_string(watch.omitted()) + " more like this",
                               .start_s = clock.now_s(),
                               .end_s = clock.now_s() + omitted.now_s});
  }
  // If only some ranks omit iterations, others may still exchange, and compare SimGrid's clock, so
  // the clock has to advance.
  (are_all(among) ? clock.skipped_s : clock.local_s) += omitted.now_s;
  clock.omitted_s += omitted.now_s;
  clock.phases += omitted.phases;
  clock.traffic += omitted.traffic;
}

void Loops::repeat(int rank,
                   const Communicator& among,
                   std::int64_t count,
                   const std::function<void(std::int64_t)>& body) {
  Position& self = positions_[static_cast<std::size_t>(rank)];
  const auto id = static_cast<std::size_t>(among.id);
  if (id >= watches_.size()) watches_.resize(id + 1);
  Watches& watches = watches_[id];
  watches.entered.resize(among.ranks.size(), 0);
  const int member = among.member_of(rank);
  const std::int64_t sequence = watches.entered[static_cast<std::size_t>(member)]++;
  const std::size_t depth = self.loops.size();
  self.entered.resize(depth + 1);
  self.loops.push_back(self.entered[depth]++);
  const Acceleration needed = are_all(among) ? Acceleration::whole_loops : Acceleration::all;
  const bool may_omit =
      state_.options.acceleration >= needed && !state_.options.runs_every_iteration;
  std::shared_ptr<LoopWatch>& shared = watches.open[sequence];
  if (!shared) {
    const LoopWatch::Rule rule =
        may_omit ? rule_for(self, among, sequence, count) : LoopWatch::Rule{};
    shared = std::make_shared<LoopWatch>(among.size(), count, rule);
  }
  const std::shared_ptr<LoopWatch> watch = shared;
  if (may_omit) watch->report(member, 0, meters(rank), false);
  for (std::int64_t i = 0; i < count; ++i) {
    if (depth == 0) self.epoch = i;
    self.entered.resize(depth + 1);
    const std::int64_t changes_before = self.changes;
    body(i);
    if (!may_omit) continue;
    if (depth == 0 && state_.has_dealt) watch->expect_differences();
    const bool has_decision = watch->decides_after(i + 1);
    const bool has_changed = self.changes > changes_before;
    const bool is_last =
        watch->report(member, i + 1, meters(rank), has_changed, may_claim_links(among));
    if (!has_decision) continue;
    wait_for_decision(rank, among, *watch, is_last);
    if (watch->omitted() == 0) continue;
    skip(rank, among, *watch);
    break;
  }
  self.loops.pop_back();
  if (depth == 0 && !state_.pass.is_noisy && watch->settled_after() > 0)
    epochs_to_sample_ = watch->has_transient() ? watch->settled_after() : 1;
  if (++watch->left == among.size()) watches.open.erase(sequence);
}

void Loops::wait_for_decision(int rank, const Communicator& among, LoopWatch& watch, bool is_last) {
  if (!is_last) {
    watch.waiting.push_back(rank);
    state_.clocks.sleep(rank);
    return;
  }
  if (watch.omitted() > 0) claim_links(among, watch);  // before any clock moves
  if (are_all(among)) catch_up_with_simgrid();
  // A rank woken here may wait for the next decision before the others are awake.
  for (const int waiting : std::exchange(watch.waiting, {})) state_.clocks.wake(waiting);
}

}  // namespace epochcast::sim
