// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/schedule_run.hpp"

#include <algorithm>

#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kSegment = 128 * 1024;  // floats: 512 KiB, well inside a core's cache

bool overlap(const Block& a, const Block& b) { return a.begin < b.end && b.begin < a.end; }

void scale(float* values, float weight, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= weight;
}

/// to = weight · to + from
void add(float* to, float weight, const float* from, std::size_t count) {
  if (weight == 1.0F) {
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = weight * to[i] + from[i];
  }
}

}  // namespace

std::size_t ScheduleRun::element(const Schedule& schedule, std::int64_t unit) const {
  // Unit i of d starts at element floor(i·n/d); in 128 bits, since both may be large.
  return static_cast<std::size_t>(static_cast<__int128>(unit) *
                                  static_cast<__int128>(values_.size()) / schedule.divisions());
}

void ScheduleRun::weigh(const Schedule& schedule, const Block& block) {
  for (std::int64_t unit = block.begin; unit < block.end; ++unit) {
    if (is_weighted_[static_cast<std::size_t>(unit)]) continue;
    is_weighted_[static_cast<std::size_t>(unit)] = true;
    const std::size_t begin = element(schedule, unit);
    scale(&values_[begin], weight_, element(schedule, unit + 1) - begin);
  }
}

float ScheduleRun::take_weight(const Schedule& schedule, const Action& action) {
  const auto begin = is_weighted_.begin() + action.block.begin;
  const auto end = is_weighted_.begin() + action.block.end;
  // Mostly all or none of a block have theirs; then it is applied segment by segment, in the cache.
  const bool is_fresh = std::find(begin, end, true) == end && action.kind != ActionKind::receive;
  if (!is_fresh && action.kind != ActionKind::receive) weigh(schedule, action.block);
  std::fill(begin, end, true);
  return is_fresh ? weight_ : 1.0F;
}

void ScheduleRun::post(const Schedule& schedule,
                       const Action& action,
                       bool in_place,
                       MPI_Comm comm) {
  const std::size_t block_end = element(schedule, action.block.end);
  const float weight = take_weight(schedule, action);
  for (std::size_t at = element(schedule, action.block.begin); at < block_end; at += kSegment) {
    Transfer transfer = {.kind = action.kind,
                         .begin = at,
                         .end = std::min(at + kSegment, block_end),
                         .weight = weight};
    const std::size_t length = transfer.end - transfer.begin;
    const int count = static_cast<int>(length);
    if (action.kind == ActionKind::send) {
      if (weight != 1.0F) scale(&values_[at], weight, length);
      check_mpi(
          MPI_Isend(&values_[at], count, MPI_FLOAT, action.peer, kTag, comm, &transfer.request),
          "MPI_Isend");
    } else {
      if (!in_place) {
        transfer.scratch = scratch_.get() + scratch_used_;
        scratch_used_ += length;
      }
      float* to = in_place ? &values_[at] : transfer.scratch;
      check_mpi(MPI_Irecv(to, count, MPI_FLOAT, action.peer, kTag, comm, &transfer.request),
                "MPI_Irecv");
    }
    transfers_.push_back(transfer);
  }
}

void ScheduleRun::wait_for_sends(std::size_t begin, std::size_t end) {
  for (Transfer& transfer : transfers_) {
    if (transfer.kind == ActionKind::send && transfer.begin < end && begin < transfer.end) {
      check_mpi(MPI_Wait(&transfer.request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
  }
}

void ScheduleRun::finish(std::size_t index) {
  Transfer& transfer = transfers_[index];
  check_mpi(MPI_Wait(&transfer.request, MPI_STATUS_IGNORE), "MPI_Wait");
  if (transfer.scratch == nullptr) return;
  wait_for_sends(transfer.begin, transfer.end);
  const std::size_t count = transfer.end - transfer.begin;
  if (transfer.kind == ActionKind::receive_add) {
    add(&values_[transfer.begin], transfer.weight, transfer.scratch, count);
  } else {
    std::copy_n(transfer.scratch, count, &values_[transfer.begin]);
  }
}

void ScheduleRun::run_round(const Schedule& schedule, const Round& round, MPI_Comm comm) {
  transfers_.clear();
  scratch_used_ = 0;
  std::size_t arriving = 0;
  for (const Action& action : round) {
    if (action.kind != ActionKind::send)
      arriving += element(schedule, action.block.end) - element(schedule, action.block.begin);
  }
  if (arriving > scratch_size_) {
    scratch_ = std::make_unique_for_overwrite<float[]>(arriving);
    scratch_size_ = arriving;
  }
  // Sends first: what is sent needs its weight before anything is added to it.
  for (const Action& action : round) {
    if (action.kind == ActionKind::send) post(schedule, action, false, comm);
  }
  const std::size_t sent = transfers_.size();
  for (const Action& action : round) {
    if (action.kind == ActionKind::send) continue;
    const bool is_shared = std::any_of(round.begin(), round.end(), [&](const Action& other) {
      return &other != &action && overlap(other.block, action.block);
    });
    post(schedule, action, action.kind == ActionKind::receive && !is_shared, comm);
  }
  for (std::size_t i = sent; i < transfers_.size(); ++i) finish(i);
  wait_for_sends(0, values_.size());
}

void ScheduleRun::all_reduce(
    const Schedule& schedule, std::span<float> values, float weight, int rank, MPI_Comm comm) {
  values_ = values;
  weight_ = weight;
  is_weighted_.assign(static_cast<std::size_t>(schedule.divisions()), weight == 1.0F);
  const std::int64_t rounds = schedule.rounds(rank);
  for (std::int64_t index = 0; index < rounds; ++index)
    run_round(schedule, schedule.round(rank, index), comm);
  weigh(schedule, {.begin = 0, .end = schedule.divisions()});
}

}  // namespace epochcast::real
