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
#include <string>
#include <thread>

namespace epochcast::real {
namespace {

namespace fs = std::filesystem;

/// A folder that Open MPI passes to its ranks in a variable.
fs::path folder_in(const char* variable) {
  const char* folder = std::getenv(variable);
  return folder == nullptr ? "" : folder;
}

/// Removes Open MPI's files of all jobs of the parent, and their folder if no other job of this
/// user has files there.
void remove_session() {
  std::error_code ignored;
  fs::remove_all(folder_in("OMPI_MCA_orte_jobfam_session_dir"), ignored);
  fs::remove(folder_in("OMPI_MCA_orte_top_session_dir"), ignored);
}

constexpr const char* kBackingFolder = "OMPI_MCA_btl_vader_backing_directory";

}  // namespace

void end_with_parent() {
  TempFolder::use();
  const pid_t parent = getppid();
  // glibc 2.36 declares pidfd_open() for C alone.
  const auto watched = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  if (watched < 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // an old kernel: ends without cleaning up
    if (getppid() != parent) _exit(1);
    return;
  }
  if (getppid() != parent) _exit(1);
  std::thread([watched] {
    pollfd end = {.fd = watched, .events = POLLIN, .revents = 0};
    while (poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
    remove_session();
    _exit(1);
  }).detach();
}

SharedMemory::SharedMemory() {
  const fs::path given = folder_in(kBackingFolder);
  const fs::path place = given.empty() ? "/dev/shm" : given;
  if (access(place.c_str(), W_OK) != 0) return;
  folder_.emplace("epochcast-rank", place);
  setenv(kBackingFolder, folder_->path().c_str(), 1);
}

void SharedMemory::unlink() {
  if (!folder_) return;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_->path(), ignored)) {
    if (entry.path().filename().string().starts_with("vader_segment."))
      names_.push_back(entry.path());
  }
  for (const fs::path& name : names_) fs::remove(name, ignored);
}

void SharedMemory::restore_names() const {
  for (const fs::path& name : names_) std::ofstream(name).flush();
}

}  // namespace epochcast::real
