// SPDX-License-Identifier: Apache-2.0
#include "tests/real/run/running_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

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

}  // namespace

RunningProgram::RunningProgram(const Folder& folder, const std::string& arguments) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  fs::create_directories(folder.path() / "tmp");
  std::vector<std::string> command = words(arguments);
  command.insert(command.begin(), EPOCHCAST_PROGRAM);
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ > 0) return;
  setpgid(0, 0);
  setenv("EPOCHCAST_DATA", EPOCHCAST_SOURCE_DIR, 1);
  setenv("TMPDIR", (folder.path() / "tmp").c_str(), 1);
  setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);
  if (chdir(folder.path().c_str()) != 0) _exit(127);
  for (const auto& [file, stream] :
       {std::pair("out.txt", STDOUT_FILENO), std::pair("err.txt", STDERR_FILENO)}) {
    dup2(open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), stream);
  }
  execv(pointers.front(), pointers.data());
  _exit(127);
}

RunningProgram::~RunningProgram() {
  for (const pid_t pid : processes()) kill(pid, SIGKILL);
  if (!has_ended_) waitpid(pid_, nullptr, 0);
}

bool RunningProgram::has_ended() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {  // orphans as well
    if (pid != pid_) continue;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    has_ended_ = true;
  }
  return has_ended_;
}

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
