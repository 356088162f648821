// SPDX-License-Identifier: Apache-2.0
// SimFabric::repeat(): loops whose later iterations are accounted for without being run.
#include <algorithm>

#include "core/random.hpp"
#include "sim/world_state.hpp"

namespace epochcast::sim {
namespace {

// Pilot passes run this many iterations of a loop (fewer of nested ones, since theirs multiply);
// the passes after them only a few.
constexpr std::int64_t kPilotIterations = 32;
constexpr std::int64_t kNestedPilotIterations = 8;
constexpr std::int64_t kSampledIterations = 4;

}  // namespace

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
  const LoopKey key = {world_.pass_.session, among.id, self().epoch, depth, count};
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
  const bool may_omit = world_.options_.is_accelerated && !world_.options_.runs_every_iteration;
  if (may_omit) watch->report(member, 0, meters());
  for (std::int64_t i = 0; i < count; ++i) {
    if (depth == 0) me.epoch = i;
    body(i);
    if (!may_omit) continue;
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
    me.phases += owed.phases;
    me.traffic += owed.traffic;
    break;
  }
  --me.loop_depth;
  if (depth == 0 && !world_.pass_.is_noisy && watch->settled_after() > 0) {
    world_.epochs_to_sample_ = watch->has_transient() ? watch->settled_after() : 1;
  }
  if (++watch->left == among.size()) state.loops.erase(sequence);
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
