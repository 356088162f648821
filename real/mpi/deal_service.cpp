// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/deal_service.hpp"

#include <chrono>

#include "real/mpi/mpi_call.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {
namespace {

constexpr int kQuestionTag = 3;
constexpr int kAnswerTag = 4;
/// Half of it, on average, is added to each question's latency.
constexpr std::chrono::microseconds kPause{200};

}  // namespace

std::int64_t DealService::next_of(std::int64_t sequence) {
  const std::lock_guard lock(mutex_);
  return next_[sequence]++;
}

std::optional<std::int64_t> DealService::deal(std::int64_t sequence,
                                              std::int64_t count,
                                              int owner) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  std::int64_t number = sequence;
  if (owner == rank) {
    if (!thread_.joinable())
      thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    number = next_of(sequence);
  } else {
    MPI_Request requests[2];
    std::int64_t answer = 0;
    check_mpi(MPI_Irecv(&answer, 1, MPI_INT64_T, owner, kAnswerTag, comm_, &requests[0]),
              "MPI_Irecv");
    check_mpi(MPI_Isend(&number, 1, MPI_INT64_T, owner, kQuestionTag, comm_, &requests[1]),
              "MPI_Isend");
    wait_with_backoff([&] {
      int is_done = 0;
      check_mpi(MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE), "MPI_Testall");
      return is_done != 0;
    });
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): tested until both are done
    number = answer;
  }
  return number < count ? std::optional(number) : std::nullopt;
}

void DealService::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    int has_come = 0;
    MPI_Status status;
    // Errors end the service: the ranks that ask get them, too.
    if (MPI_Iprobe(MPI_ANY_SOURCE, kQuestionTag, comm_, &has_come, &status) != MPI_SUCCESS) return;
    if (has_come == 0) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    std::int64_t number = 0;
    MPI_Recv(&number, 1, MPI_INT64_T, status.MPI_SOURCE, kQuestionTag, comm_, MPI_STATUS_IGNORE);
    number = next_of(number);
    MPI_Send(&number, 1, MPI_INT64_T, status.MPI_SOURCE, kAnswerTag, comm_);
  }
}

}  // namespace epochcast::real
