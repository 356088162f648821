// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/deals.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sim/loops/known_mean.hpp"

namespace epochcast::sim {
namespace {

/// Of a question and of an answer.
constexpr double kDealBytes = sizeof(std::int64_t);

}  // namespace

std::optional<std::int64_t> Deals::deal(int rank,
                                        std::int64_t sequence,
                                        std::int64_t count,
                                        int owner) {
  state_.has_dealt = true;
  send(rank, rank, owner);
  state_.clocks.sleep_until(state_.clocks.of(rank).local_s);
  // Servers take none: workers in step then take as many numbers in each batch of the watch.
  const auto workers = static_cast<int>(
      std::ranges::count(state_.layout.workers(), Role::trains, &WorkerInfo::role));
  Sequence& dealt = sequences_[sequence];
  if (dealt.watch == nullptr)
    dealt.watch = &watches_.try_emplace(count, DealWatch(workers, count)).first->second;
  std::optional<std::int64_t> number;
  if (dealt.next < count) {
    number = dealt.next++;
    watch(dealt, *number, count);
  }
  send(rank, owner, rank);
  return number;
}

void Deals::send(int worker, int from, int to) {
  if (from == to) return;
  WorkerClock& clock = state_.clocks.of(worker);
  const Cluster::Route route = state_.layout.route(from, to);
  const double seconds =
      route.latency_for_s(kDealBytes) + kDealBytes / route.bytes_per_s(kDealBytes);
  clock.local_s += seconds;
  clock.phases.exposed_communication_s += seconds;
  if (from == worker) clock.traffic += state_.layout.traffic(from, to, kDealBytes);
}

void Deals::watch(Sequence& dealt, std::int64_t number, std::int64_t count) {
  if (state_.options.acceleration == Acceleration::none || state_.options.runs_every_iteration)
    return;
  const std::int64_t begin = dealt.watch->uncounted();
  const std::int64_t moves = number > begin ? count_moves(dealt) : 0;
  std::int64_t omitted =
      dealt.watch->dealt(number, state_.clocks.simgrid_s(), moves >= DealWatch::kEnds);
  if (number == begin) {
    for (std::size_t i = 0; i < state_.layout.workers().size(); ++i) {
      dealt.counted_from.push_back(state_.clocks.of(static_cast<int>(i)));
      dealt.seen_s.push_back(dealt.counted_from.back().local_s);
    }
    dealt.moves.resize(dealt.seen_s.size());
  }
  if (omitted == 0) return;
  // The slowest worker's last moves are run, too: the sequence ends with its batch.
  const std::int64_t end = DealWatch::kEnds * (number - begin) / moves;
  omitted = std::min(omitted, count - end - number - 1);
  if (omitted > 0) omit(dealt, omitted);
}

std::int64_t Deals::count_moves(Sequence& dealt) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < dealt.seen_s.size(); ++i) {
    const auto rank = static_cast<int>(i);
    const double now_s = state_.clocks.of(rank).local_s;
    if (now_s != std::exchange(dealt.seen_s[i], now_s)) ++dealt.moves[i];
    if (state_.layout.worker(rank).role == Role::trains) fewest = std::min(fewest, dealt.moves[i]);
  }
  return fewest;
}

void Deals::omit(Sequence& dealt, std::int64_t numbers) {
  omitted_half_width_ = std::max({omitted_half_width_, dealt.watch->half_width(), kMeanTolerance});
  dealt.next += numbers;
  const double omitted_s = static_cast<double>(numbers) * dealt.watch->mean_s();
  for (std::size_t i = 0; i < dealt.counted_from.size(); ++i) {
    const auto rank = static_cast<int>(i);
    WorkerClock& clock = state_.clocks.of(rank);
    const WorkerClock& before = dealt.counted_from[i];
    if (state_.pass.timeline != nullptr) {
      state_.pass.timeline->add({.worker = rank,
                                 .stream = Stream::omitted,
                                 .name = std::to_string(numbers) + " more batches of all workers",
                                 .start_s = clock.now_s(),
                                 .end_s = clock.now_s() + omitted_s});
    }
    const double elapsed_s = clock.local_s - before.local_s;
    const double factor = elapsed_s > 0 ? omitted_s / elapsed_s : 0;
    clock.phases += factor * (clock.phases - before.phases);
    clock.traffic += factor * (clock.traffic - before.traffic);
    clock.skipped_s += omitted_s;
    clock.omitted_s += omitted_s;
  }
}

}  // namespace epochcast::sim
