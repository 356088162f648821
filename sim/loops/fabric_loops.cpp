// SPDX-License-Identifier: Apache-2.0
// SimFabric::repeat(): loops whose later iterations are extrapolated instead of run.
#include <algorithm>
#include <utility>

#include "base/statistics/random.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {
namespace {

// Pilot passes run at least this many iterations of a loop (fewer of nested ones, since theirs
// multiply); the passes after them only a few.
constexpr std::int64_t kPilotIterations = 32;
constexpr std::int64_t kNestedPilotIterations = 8;
constexpr std::int64_t kSampledIterations = 4;

}  // namespace

LoopWatch::Rule SimFabric::rule_for(const Communicator& among,
                                    std::int64_t sequence,
                                    std::int64_t count) {
  // Every communicator has its own random stream: nodes that wait for each other must vary
  // independently.
  const std::uint64_t seed = mix_seed(runtime_.pass_.seed, static_cast<std::uint64_t>(among.id));
  LoopWatch::Rule rule = {.is_noisy = runtime_.pass_.is_noisy,
                          .seed = mix_seed(seed, static_cast<std::uint64_t>(sequence) + 1)};
  if (!rule.is_noisy) return rule;
  rule.sampled = count;
  const Runtime::Rank& me = self();
  const std::size_t depth = me.loops.size() - 1;
  if (depth == 0) {
    if (runtime_.epochs_to_sample_ > 0) rule.sampled = std::min(count, runtime_.epochs_to_sample_);
    rule.is_like_last = true;
    return rule;
  }
  const LoopKey key = {runtime_.pass_.session, among.id, me.epoch, me.loops};
  if (runtime_.pass_.pilot_iterations > 0) {
    const std::int64_t least = depth == 1 ? kPilotIterations : kNestedPilotIterations;
    rule.sampled = std::min(count, std::max(least, runtime_.pass_.pilot_iterations));
    if (rule.sampled < count) rule.pilot = &runtime_.loop_statistics_[key];
  } else if (const auto found = runtime_.loop_statistics_.find(key);
             found != runtime_.loop_statistics_.end()) {
    rule.sampled = std::min(count, kSampledIterations);
    rule.known = &found->second;
  }
  return rule;
}

bool SimFabric::may_claim_links(const Runtime::CommunicatorState& state) const {
  const bool is_everybody = state.communicator.size() == static_cast<int>(runtime_.ranks_.size());
  return is_everybody || !runtime_.interference_->is_simulating(state.footprint);
}

void SimFabric::claim_links(const Runtime::CommunicatorState& state, const LoopWatch& watch) {
  const Communicator& among = state.communicator;
  if (among.size() == static_cast<int>(runtime_.ranks_.size())) return;  // no other ranks use links
  double all_here_s = 0;
  bool has_exchanged = false;
  for (int member = 0; member < among.size(); ++member) {
    const Traffic sent = watch.omitted_meters(member).traffic;
    has_exchanged = has_exchanged || sent.intra_node_bytes + sent.inter_node_bytes > 0;
    all_here_s =
        std::max(all_here_s, runtime_.rank(among.ranks[static_cast<std::size_t>(member)]).local_s);
  }
  // The next exchange starts when all have arrived, with the same skew as at its end.
  const double until_s = all_here_s + watch.omitted_meters(0).now_s;
  if (has_exchanged && !runtime_.interference_->begin_replay(state.footprint, all_here_s, until_s))
    runtime_.interference_->set_conflict();
}

void SimFabric::skip(const Runtime::CommunicatorState& state, const Meters& omitted_meters) {
  Runtime::Rank& me = self();
  // If only some ranks omit iterations, others may still exchange, and compare SimGrid's clock, so
  // the clock has to advance.
  const bool is_everybody = state.communicator.size() == static_cast<int>(runtime_.ranks_.size());
  (is_everybody ? me.skipped_s : me.local_s) += omitted_meters.now_s;
  me.phases += omitted_meters.phases;
  me.traffic += omitted_meters.traffic;
}

void SimFabric::announce_change() { ++self().changes; }

void SimFabric::repeat(const Communicator& among,
                       std::int64_t count,
                       const std::function<void(std::int64_t)>& body) {
  Runtime::Rank& me = self();
  Runtime::CommunicatorState& state = runtime_.state_of(among);
  const int member = among.member_of(rank_);
  const std::int64_t sequence = state.loops_entered[static_cast<std::size_t>(member)]++;
  const std::size_t depth = me.loops.size();
  me.loops_entered.resize(depth + 1);
  me.loops.push_back(me.loops_entered[depth]++);
  const bool may_omit = runtime_.options_.is_accelerated && !runtime_.options_.runs_every_iteration;
  std::shared_ptr<LoopWatch>& shared = state.loops[sequence];
  if (!shared) {
    const LoopWatch::Rule rule = may_omit ? rule_for(among, sequence, count) : LoopWatch::Rule{};
    shared = std::make_shared<LoopWatch>(among.size(), count, rule);
  }
  const std::shared_ptr<LoopWatch> watch = shared;
  if (may_omit) watch->report(member, 0, meters(), false);
  for (std::int64_t i = 0; i < count; ++i) {
    if (depth == 0) me.epoch = i;
    me.loops_entered.resize(depth + 1);
    const std::int64_t changes_before = me.changes;
    body(i);
    if (!may_omit) continue;
    const bool has_decision = watch->decides_after(i + 1);
    const bool has_changed = me.changes > changes_before;
    const bool is_last =
        watch->report(member, i + 1, meters(), has_changed, may_claim_links(state));
    if (!has_decision) continue;
    wait_for_decision(state, *watch, is_last);
    if (watch->omitted() == 0) continue;
    const Meters omitted_meters = watch->omitted_meters(member);
    if (runtime_.pass_.timeline != nullptr) {
      runtime_.pass_.timeline->add({.worker = rank_,
                                    .stream = Stream::omitted,
                                    .name = std::to_string(watch->omitted()) + " more like this",
                                    .start_s = now_s(),
                                    .end_s = now_s() + omitted_meters.now_s});
    }
    skip(state, omitted_meters);
    break;
  }
  me.loops.pop_back();
  if (depth == 0 && !runtime_.pass_.is_noisy && watch->settled_after() > 0) {
    runtime_.epochs_to_sample_ = watch->has_transient() ? watch->settled_after() : 1;
  }
  if (++watch->left == among.size()) state.loops.erase(sequence);
}

void SimFabric::wait_for_decision(const Runtime::CommunicatorState& state,
                                  LoopWatch& watch,
                                  bool is_last) {
  if (!is_last) {
    watch.waiting.push_back(rank_);
    self().wake->acquire();
    return;
  }
  if (watch.omitted() > 0) claim_links(state, watch);  // before any clock moves
  // A rank woken here may wait for the next decision before the others are awake.
  for (const int waiting : std::exchange(watch.waiting, {})) runtime_.rank(waiting).wake->release();
}

}  // namespace epochcast::sim
