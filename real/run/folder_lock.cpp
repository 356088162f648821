// SPDX-License-Identifier: Apache-2.0
#include "real/run/folder_lock.hpp"

#include <chrono>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {
namespace {

using namespace std::chrono_literals;

/// Time for ranks of a killed or requeued job to end.
constexpr auto kTimeout = 8s;

/// Locks the byte as soon as it is free. The first rank waits until all bytes are free: another job
/// may have had more ranks.
LockFile::Answer take(const LockFile& file, int rank) {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  LockFile::Answer answer = file.try_lock(rank);
  const auto is_taken = [&] {
    return answer == LockFile::Answer::taken || (rank == 0 && file.is_taken());
  };
  while (is_taken() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(50ms);
    if (answer == LockFile::Answer::taken) answer = file.try_lock(rank);
  }
  return is_taken() ? LockFile::Answer::taken : answer;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, MPI_Comm job) : file_(folder / "lock") {
  int rank = 0;
  check_mpi(MPI_Comm_rank(job, &rank), "MPI_Comm_rank");
  // The other ranks begin when the first has found no lock.
  for (const bool is_first : {true, false}) {
    std::string refusal;
    if (is_first == (rank == 0)) {
      const LockFile::Answer answer = take(file_, rank);
      is_locked_ = answer != LockFile::Answer::no_locks;
      if (answer == LockFile::Answer::taken) {
        const std::string holder = file_.text();
        refusal = "--checkpoint: " + folder.string() + " is in use by another job (" +
                  (holder.empty() ? "it does not say which" : holder) +
                  "); wait until it has ended, or choose another folder";
      }
    }
    for (const std::string& text : all_gather_texts(refusal, job)) {
      if (!text.empty()) throw UserError(text);
    }
  }
  if (rank == 0) file_.write(process_name());
}

}  // namespace epochcast::real
