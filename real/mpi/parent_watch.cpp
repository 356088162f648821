// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/parent_watch.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "core/process/temp_folder.hpp"

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

/// A folder that Open MPI has named to its ranks.
fs::path folder_in(const char* variable) {
  const char* folder = std::getenv(variable);
  return folder == nullptr ? "" : folder;
}

/// Removes the files that Open MPI keeps for all jobs of the parent, and their folder when it was
/// the last of this user's.
void remove_session() {
  std::error_code ignored;
  fs::remove_all(folder_in("OMPI_MCA_orte_jobfam_session_dir"), ignored);
  fs::remove(folder_in("OMPI_MCA_orte_top_session_dir"), ignored);
}

/// "570c0001.3": the job and the rank, as Open MPI writes them into names; empty outside of mpirun.
std::string rank_suffix() {
  const char* job = std::getenv("OMPI_MCA_ess_base_jobid");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (job == nullptr || rank == nullptr) return {};
  std::ostringstream text;
  text << '.' << std::hex << std::strtoul(job, nullptr, 10) << '.' << rank;
  return text.str();
}

}  // namespace

void end_with_parent() {
  TempFolder::use();
  const pid_t parent = getppid();
  // glibc 2.36 declares pidfd_open() for C alone.
  const auto watched = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  if (watched < 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // an old kernel: no time to clean up
    if (getppid() != parent) _exit(1);
    return;
  }
  if (getppid() != parent) _exit(1);
  std::thread([watched] {
    pollfd end = {.fd = watched, .events = POLLIN, .revents = 0};
    while (poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
    unlink_shared_memory();  // when that was not done yet
    remove_session();
    _exit(1);
  }).detach();
}

std::vector<fs::path> unlink_shared_memory() {
  std::vector<fs::path> names;
  const std::string suffix = rank_suffix();
  if (suffix.empty()) return names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev/shm", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("vader_segment.") && name.ends_with(suffix)) names.push_back(entry.path());
  }
  for (const fs::path& name : names) fs::remove(name, ignored);
  return names;
}

void restore_names(const std::vector<fs::path>& names) {
  for (const fs::path& name : names) std::ofstream(name).flush();
}

}  // namespace epochcast::real
