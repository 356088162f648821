// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/payload.hpp"

namespace epochcast::real {

struct Arithmetic;

/// Executes schedules of collectives with MPI_Isend and MPI_Irecv, in place.
///
/// Large blocks are sent in segments, a few of each block at a time: while one is added, the next
/// one is in transfer. The caller's weight is applied when a number is first sent or added to,
/// which saves a pass over the buffer. The order of additions, and so every bit of the result,
/// depends on the schedule alone.
class ScheduleRun {
 public:
  /// 8 MiB: of a 44 MB all-reduce between two ranks, segments of 256 KiB take 1.3 times as long as
  /// MPI_Allreduce, 2 MiB 1.12, 8 MiB 1.02 (medians of `make bench` on 2026-11-21, AMD EPYC, 2
  /// cores, KVM); with four ranks on the two cores 8 MiB take 0.84.
  static constexpr std::size_t kSegmentBytes = std::size_t{8} * 1024 * 1024;

  explicit ScheduleRun(std::size_t segment_bytes = kSegmentBytes) : segment_bytes_(segment_bytes) {}

  /// Runs the schedule on `payload`, whose numbers count weight-fold: an all-reduce replaces it by
  /// Σ_q weight_q · payload_q. Collective over `comm`, whose ranks are those of the schedule; every
  /// member passes as many numbers. `weights`: of all members, or empty on all ranks: then numbers
  /// get their weight before they are sent. `has_to_sleep`, if given: whether a computing thread
  /// needs the core while messages are in transfer. Throws std::logic_error for a weight of
  /// integers.
  void run(const Schedule& schedule,
           const Payload& payload,
           float weight,
           std::span<const float> weights,
           int rank,
           MPI_Comm comm,
           const std::function<bool()>& has_to_sleep = {});

 private:
  /// One action of the round, with the part of its block that is not posted yet.
  struct Stream {
    Action action;
    std::size_t next = 0;  ///< elements
    std::size_t end = 0;
    float weight = 1;  ///< to apply to our own numbers
    bool in_place = true;
  };
  /// A segment of a stream in transfer. After its arrival, the stream's next one is posted.
  struct Segment {
    std::size_t stream = 0;
    std::size_t begin = 0;  ///< elements
    std::size_t end = 0;
    std::byte* scratch = nullptr;  ///< receive buffer; null: in place
  };

  void run_round(const Schedule& schedule, const Round& round, MPI_Comm comm);
  void open_streams(const Schedule& schedule, const Round& round);
  /// Posts the first segments of each stream, at most `window`.
  void post_first(std::size_t window, MPI_Comm comm);
  /// Posts the next segment of the stream that segments_[index] belongs to.
  void post_next(std::size_t index, MPI_Comm comm);
  /// Adds or copies a received segment with this tag to its place.
  void store(const Segment& segment, int tag);
  void finish_as_they_come(MPI_Comm comm);
  void finish_in_order();
  /// Waits for a segment and returns its tag.
  int wait_for(std::size_t index);
  /// The first of `requests` to be done; MPI_UNDEFINED when none is left.
  int wait_for_any(std::span<MPI_Request> requests, MPI_Status& status) const;
  [[nodiscard]] std::size_t element(const Schedule& schedule, std::int64_t unit) const;
  /// Multiplies the weight into the units of a block that do not have it yet.
  void weigh(const Schedule& schedule, const Block& block);
  /// The weight that the block's numbers still need; the addition then applies it.
  float take_weight(const Schedule& schedule, const Action& action);

  [[nodiscard]] std::byte* at(std::size_t element) const {
    return &payload_.data[element * element_bytes_];
  }

  std::size_t segment_bytes_;
  std::size_t segment_ = 0;  ///< elements
  std::size_t element_bytes_ = 0;
  Payload payload_;
  const Arithmetic* arithmetic_ = nullptr;
  float weight_ = 1;
  std::function<bool()> has_to_sleep_;
  std::span<const float> weights_;
  std::vector<bool> is_weighted_;  ///< by unit
  std::vector<Stream> streams_;    ///< the sends first
  std::vector<Segment> segments_;
  std::vector<MPI_Request> requests_;  ///< of each segment
  std::unique_ptr<std::byte[]> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace epochcast::real
