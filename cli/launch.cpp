// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <regex>
#include <set>

#include "cli/mpirun_messages.hpp"
#include "core/error.hpp"
#include "core/setting_text.hpp"

namespace epochcast {

std::string sibling(const std::string& name) {
  const std::filesystem::path file =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (!std::filesystem::exists(file)) {
    throw UserError("this build has no " + name + " (expected " + file.string() +
                    "); build with -DEPOCHCAST_REAL=ON, as `make test` does");
  }
  return file.string();
}

int parse_ranks(const std::string& option, const std::string& text) {
  try {
    return parse_small_count(text, 1);
  } catch (const UserError& error) {
    throw UserError(option + ": " + error.what());
  }
}

std::vector<Host> parse_hosts(const std::string& text, int default_ranks) {
  const std::regex host_name("[A-Za-z0-9][A-Za-z0-9._-]*");
  const UserError wrong("--hosts: got \"" + text + "\"; expected names such as node1,node2:4");
  if (text.empty()) throw wrong;
  std::vector<Host> hosts;
  std::set<std::string> seen;
  std::int64_t ranks = 0;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    Host host = {.name = part.substr(0, colon), .ranks = default_ranks};
    if (!std::regex_match(host.name, host_name)) throw wrong;
    if (!seen.insert(host.name).second)
      throw UserError("--hosts: " + host.name + ": is there twice; expected each machine once");
    if (colon != std::string::npos)
      host.ranks = parse_ranks("--hosts: " + host.name, part.substr(colon + 1));
    ranks += host.ranks;
    hosts.push_back(std::move(host));
  }
  if (ranks > kMostSmallCount) {
    throw UserError("--hosts: got " + std::to_string(ranks) + " ranks in all; expected at most " +
                    std::to_string(kMostSmallCount));
  }
  return hosts;
}

int room(const std::vector<Host>& hosts) {
  return std::accumulate(
      hosts.begin(), hosts.end(), 0, [](int sum, const Host& host) { return sum + host.ranks; });
}

std::string hosts_text(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts)
    text += (text.empty() ? "" : ",") + host.name + ":" + std::to_string(host.ranks);
  return text;
}

int run_words(const std::vector<std::string>& words) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) throw RunError("no pipe can be made");
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw RunError(words[0] + ": cannot be started");
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    execvp(arguments[0], arguments.data());
    std::cerr << "epochcast: " << words[0]
              << ": cannot be started; install it (Debian: openmpi-bin)\n";
    _exit(127);
  }
  close(pipe_ends[1]);
  std::signal(SIGINT, SIG_IGN);  // goes to the child as well, which ends
  MpirunMessages messages;
  std::array<char, 4096> piece{};
  while (true) {
    const ssize_t size = read(pipe_ends[0], piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    std::cerr << messages.feed({piece.data(), static_cast<std::size_t>(size)}) << std::flush;
  }
  std::cerr << messages.finish() << std::flush;
  close(pipe_ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace epochcast
