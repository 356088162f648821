// SPDX-License-Identifier: Apache-2.0
#include "tests/real/run/running_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

/// The parent of a process that has not ended; 0 otherwise.
pid_t parent_of(const fs::path& process) {
  std::ifstream stat(process / "stat");
  std::string text;
  std::getline(stat, text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  char state = 'Z';
  pid_t parent = 0;
  fields >> state >> parent;
  return state == 'Z' || state == 'X' ? 0 : parent;
}

Child start(const Folder& folder, const std::string& arguments) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  fs::create_directories(folder.path() / "tmp");
  const auto stream = [&](const char* name) {
    const fs::path file = folder.path() / name;
    return FileDescriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  };
  const FileDescriptor out = stream("out.txt");
  const FileDescriptor err = stream("err.txt");
  return Child::start(folder.command(words(arguments),
                                     {},
                                     {"TMPDIR=" + (folder.path() / "tmp").string(),
                                      "XDG_CACHE_HOME=" + (folder.path() / "cache").string()}),
                      {.out = out.number(), .err = err.number()});
}

/// Waits for orphans that have ended.
void reap_all_but(pid_t child) {
  for (siginfo_t ended = {}; waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                             ended.si_pid != 0 && ended.si_pid != child;
       ended = {}) {
    waitpid(ended.si_pid, nullptr, 0);
  }
}

}  // namespace

RunningProgram::RunningProgram(const Folder& folder, const std::string& arguments)
    : child_(start(folder, arguments)), pid_(child_.pid()) {}

RunningProgram::~RunningProgram() {
  for (const pid_t pid : processes()) kill(pid, SIGKILL);
}

bool RunningProgram::has_ended() {
  reap_all_but(pid_);
  return child_.has_ended();
}

int RunningProgram::status() { return has_ended() ? child_.wait().in_shell() : 0; }

std::vector<pid_t> RunningProgram::processes() {
  std::map<pid_t, pid_t> parents;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const pid_t parent = parent_of(entry.path()); parent > 0) parents[std::stoi(name)] = parent;
  }
  std::vector<pid_t> found;
  for (const auto& [pid, parent] : parents) {
    pid_t above = parent;
    while (above != getpid() && parents.contains(above)) above = parents[above];
    if (above == getpid()) found.push_back(pid);
  }
  return found;
}

std::string RunningProgram::process_text() {
  std::string text;
  for (const pid_t pid : processes()) {
    std::ostringstream line;
    line << std::ifstream("/proc/" + std::to_string(pid) + "/cmdline").rdbuf();
    std::string shown = line.str().substr(0, 200);
    std::replace(shown.begin(), shown.end(), '\0', ' ');
    text += std::to_string(pid) + " " + shown + "\n";
  }
  return text;
}

}  // namespace epochcast::tests
