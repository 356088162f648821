// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/schedule_run.hpp"

#include <algorithm>
#include <type_traits>

#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_types.hpp"
#include "real/mpi/priority_change.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {
namespace {

constexpr int kTag = 1;             ///< the sender's weight is applied
constexpr int kFreshTag = 4;        ///< the receiver applies the sender's weight
constexpr std::size_t kWindow = 4;  // segments of a block in progress at once

bool overlap(const Block& a, const Block& b) { return a.begin < b.end && b.begin < a.end; }

/// Whether the transfers of the round are independent: no two share data, and messages to or from a
/// peer belong to one transfer.
///
/// Only then may segments be held back: all transfers of a round are posted together, so that none
/// waits for another one.
bool is_separable(const Round& round) {
  for (const Action& one : round) {
    for (const Action& other : round) {
      if (&one == &other) continue;
      const bool are_sends = one.kind == ActionKind::send && other.kind == ActionKind::send;
      const bool are_receives = one.kind != ActionKind::send && other.kind != ActionKind::send;
      if (!are_sends && overlap(one.block, other.block)) return false;
      if ((are_sends || are_receives) && one.peer == other.peer) return false;
    }
  }
  return true;
}

/// numbers *= weight. 16-bit numbers are rounded once.
template <typename T>
void scale_as(std::byte* numbers, float weight, std::size_t count) {
  if constexpr (!std::is_integral_v<T>) {
    T* const values = reinterpret_cast<T*>(numbers);
    for (std::size_t i = 0; i < count; ++i) values[i] = T(weight * static_cast<float>(values[i]));
  }
}

/// to = weight · to + from_weight · from, each product and the sum rounded.
template <typename T>
void add_as(std::byte* numbers,
            float weight,
            const std::byte* others,
            float from_weight,
            std::size_t count) {
  T* const to = reinterpret_cast<T*>(numbers);
  const T* const from = reinterpret_cast<const T*>(others);
  if constexpr (!std::is_integral_v<T>) {
    if (weight != 1.0F || from_weight != 1.0F) {
      for (std::size_t i = 0; i < count; ++i)
        to[i] =
            T(weight * static_cast<float>(to[i])) + T(from_weight * static_cast<float>(from[i]));
      return;
    }
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(to[i] + from[i]);
}

}  // namespace

/// Sums of numbers of a type.
struct Arithmetic {
  void (*scale)(std::byte*, float, std::size_t);
  void (*add)(std::byte*, float, const std::byte*, float, std::size_t);
};

namespace {

const Arithmetic& arithmetic_of(Element element) {
  return with_element(element, [](auto zero) -> const Arithmetic& {
    using T = decltype(zero);
    static const Arithmetic arithmetic = {.scale = scale_as<T>, .add = add_as<T>};
    return arithmetic;
  });
}

}  // namespace

std::size_t ScheduleRun::element(const Schedule& schedule, std::int64_t unit) const {
  // Unit i of d starts at element floor(i·n/d); in 128 bits, since both may be large.
  return static_cast<std::size_t>(static_cast<__int128>(unit) * payload_.count /
                                  schedule.divisions());
}

void ScheduleRun::weigh(const Schedule& schedule, const Block& block) {
  for (std::int64_t unit = block.begin; unit < block.end; ++unit) {
    if (is_weighted_[static_cast<std::size_t>(unit)]) continue;
    is_weighted_[static_cast<std::size_t>(unit)] = true;
    const std::size_t begin = element(schedule, unit);
    arithmetic_->scale(at(begin), weight_, element(schedule, unit + 1) - begin);
  }
}

float ScheduleRun::take_weight(const Schedule& schedule, const Action& action) {
  const auto begin = is_weighted_.begin() + action.block.begin;
  const auto end = is_weighted_.begin() + action.block.end;
  // Mostly all or none of a block's units have their weight; it is then applied segment by segment,
  // in the cache.
  const bool is_fresh = std::find(begin, end, true) == end && action.kind != ActionKind::receive;
  if (!is_fresh && action.kind != ActionKind::receive) weigh(schedule, action.block);
  const bool is_sent_fresh = is_fresh && action.kind == ActionKind::send && !weights_.empty();
  if (!is_sent_fresh) std::fill(begin, end, true);
  return is_fresh ? weight_ : 1.0F;
}

void ScheduleRun::open_streams(const Schedule& schedule, const Round& round) {
  streams_.clear();
  const auto open = [&](const Action& action, bool in_place) {
    streams_.push_back({.action = action,
                        .next = element(schedule, action.block.begin),
                        .end = element(schedule, action.block.end),
                        .weight = take_weight(schedule, action),
                        .in_place = in_place});
  };
  // Sends first: blocks need their weight before others are added.
  for (const Action& action : round) {
    if (action.kind == ActionKind::send) open(action, true);
  }
  for (const Action& action : round) {
    if (action.kind == ActionKind::send) continue;
    const bool is_shared = std::any_of(round.begin(), round.end(), [&](const Action& other) {
      return &other != &action && overlap(other.block, action.block);
    });
    open(action, action.kind == ActionKind::receive && !is_shared);
  }
}

void ScheduleRun::post_first(std::size_t window, MPI_Comm comm) {
  segments_.clear();
  std::size_t scratch_bytes = 0;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const std::size_t length = streams_[i].end - streams_[i].next;
    const std::size_t count = std::min(window, (length + segment_ - 1) / segment_);
    segments_.resize(segments_.size() + count, {.stream = i});
    if (!streams_[i].in_place) scratch_bytes += count * segment_ * element_bytes_;
  }
  if (scratch_bytes > scratch_bytes_) {
    scratch_ = std::make_unique_for_overwrite<std::byte[]>(scratch_bytes);
    scratch_bytes_ = scratch_bytes;
  }
  requests_.assign(segments_.size(), MPI_REQUEST_NULL);
  std::byte* scratch = scratch_.get();
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (!streams_[segments_[i].stream].in_place) {
      segments_[i].scratch = scratch;
      scratch += segment_ * element_bytes_;
    }
    post_next(i, comm);
  }
}

void ScheduleRun::post_next(std::size_t index, MPI_Comm comm) {
  Segment& segment = segments_[index];
  Stream& stream = streams_[segment.stream];
  segment.begin = stream.next;
  segment.end = stream.next = std::min(stream.next + segment_, stream.end);
  const std::size_t length = segment.end - segment.begin;
  const int count = static_cast<int>(length);
  std::byte* values = at(segment.begin);
  MPI_Request* request = &requests_[index];
  MPI_Datatype type = mpi_type(payload_.element);
  const int peer = stream.action.peer;
  if (stream.action.kind == ActionKind::send) {
    const bool is_fresh = stream.weight != 1.0F && !weights_.empty();
    if (stream.weight != 1.0F && !is_fresh) arithmetic_->scale(values, stream.weight, length);
    const int tag = is_fresh ? kFreshTag : kTag;
    check_mpi(MPI_Isend(values, count, type, peer, tag, comm, request), "MPI_Isend");
  } else {
    std::byte* to = segment.scratch == nullptr ? values : segment.scratch;
    check_mpi(MPI_Irecv(to, count, type, peer, MPI_ANY_TAG, comm, request), "MPI_Irecv");
  }
}

void ScheduleRun::store(const Segment& segment, int tag) {
  const Stream& stream = streams_[segment.stream];
  if (stream.action.kind == ActionKind::send) return;
  const float from_weight =
      tag == kFreshTag ? weights_[static_cast<std::size_t>(stream.action.peer)] : 1.0F;
  const std::size_t count = segment.end - segment.begin;
  std::byte* to = at(segment.begin);
  if (stream.action.kind == ActionKind::receive_add) {
    arithmetic_->add(to, stream.weight, segment.scratch, from_weight, count);
    return;
  }
  if (segment.scratch != nullptr) std::copy_n(segment.scratch, count * element_bytes_, to);
  if (from_weight != 1.0F) arithmetic_->scale(to, from_weight, count);
}

int ScheduleRun::wait_for_any(std::span<MPI_Request> requests, MPI_Status& status) const {
  if (has_to_sleep_) return wait_any_with_backoff(requests, status, has_to_sleep_);
  if (is_under_sched_rr()) return wait_any_under_sched_rr(requests, status);
  int done = MPI_UNDEFINED;
  check_mpi(MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &done, &status),
            "MPI_Waitany");
  return done;
}

int ScheduleRun::wait_for(std::size_t index) {
  MPI_Status status;
  wait_for_any(std::span(requests_).subspan(index, 1), status);
  return status.MPI_TAG;
}

void ScheduleRun::finish_as_they_come(MPI_Comm comm) {
  while (true) {
    MPI_Status status;
    const int done = wait_for_any(requests_, status);
    if (done == MPI_UNDEFINED) return;
    const auto index = static_cast<std::size_t>(done);
    store(segments_[index], status.MPI_TAG);
    const Stream& stream = streams_[segments_[index].stream];
    if (stream.next < stream.end) post_next(index, comm);
  }
}

void ScheduleRun::finish_in_order() {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    if (streams_[segment.stream].action.kind == ActionKind::send) continue;
    const int tag = wait_for(i);
    for (std::size_t k = 0; k < i; ++k) {
      const bool is_send = streams_[segments_[k].stream].action.kind == ActionKind::send;
      if (is_send && segments_[k].begin < segment.end && segment.begin < segments_[k].end)
        static_cast<void>(wait_for(k));
    }
    store(segment, tag);
  }
  for (std::size_t i = 0; i < segments_.size(); ++i) static_cast<void>(wait_for(i));
}

void ScheduleRun::run_round(const Schedule& schedule, const Round& round, MPI_Comm comm) {
  open_streams(schedule, round);
  if (is_separable(round)) {
    post_first(kWindow, comm);
    finish_as_they_come(comm);
  } else {
    post_first(static_cast<std::size_t>(payload_.count), comm);
    finish_in_order();
  }
}

void ScheduleRun::run(const Schedule& schedule,
                      const Payload& payload,
                      float weight,
                      std::span<const float> weights,
                      int rank,
                      MPI_Comm comm,
                      const std::function<bool()>& has_to_sleep) {
  check_weight(payload.element, weight);
  has_to_sleep_ = has_to_sleep;
  payload_ = payload;
  element_bytes_ = size_of(payload.element);
  segment_ = std::max<std::size_t>(1, segment_bytes_ / element_bytes_);
  arithmetic_ = &arithmetic_of(payload.element);
  weight_ = weight;
  weights_ = weights;
  is_weighted_.assign(static_cast<std::size_t>(schedule.divisions()), weight == 1.0F);
  const std::int64_t rounds = schedule.rounds(rank);
  for (std::int64_t index = 0; index < rounds; ++index)
    run_round(schedule, schedule.round(rank, index), comm);
  weigh(schedule, {.begin = 0, .end = schedule.divisions()});
}

}  // namespace epochcast::real
