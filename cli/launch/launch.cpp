// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/launch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <optional>
#include <regex>
#include <set>

#include "base/error.hpp"
#include "base/process/child.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"
#include "base/process/temp_folder.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {

namespace {

/// The folder for files that Open MPI leaves when it is killed, as long as this exists.
class MpiFiles {
 public:
  MpiFiles() {
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~MpiFiles() { before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR"); }
  MpiFiles(const MpiFiles&) = delete;
  MpiFiles& operator=(const MpiFiles&) = delete;

 private:
  TempFolder folder_{"epochcast-mpirun"};
  std::optional<std::string> before_;
};

}  // namespace

std::string sibling(const std::string& name) {
  const std::filesystem::path file =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (!std::filesystem::exists(file)) {
    throw UserError("there is no " + name + " (expected " + file.string() +
                    "); install the package epochcast-training, or build with -DEPOCHCAST_REAL=ON, "
                    "as `make test` does");
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
      throw UserError("--hosts: duplicate machine \"" + host.name + "\"");
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

CommandEnd run_words(const std::vector<std::string>& words) {
  const SignalScope signals;
  Pipe messages_pipe;
  Child child = Child::start(words, {.err = messages_pipe.writing.number()});
  messages_pipe.writing.reset();
  MpirunMessages messages;
  read_until_end(messages_pipe.reading, [&](const std::string& piece) {
    std::cerr << messages.feed(piece) << std::flush;
  });
  std::cerr << messages.finish() << std::flush;
  const int status = child.wait().in_shell();
  return {.status = status, .death = messages.death()};
}

CommandEnd run_mpirun(const std::vector<std::string>& words) {
  // Batch systems have their own folder, on every machine.
  std::optional<MpiFiles> files;
  if (std::getenv("SLURM_JOB_ID") == nullptr) files.emplace();
  CommandEnd end = run_words(words);
  if (end.status == Child::kNotStarted)
    throw RunError(words[0] + " cannot be started; install it (Debian: openmpi-bin)");
  return end;
}

bool mpirun_reaches(const std::string& host, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"timeout", "--kill-after=2", "15", "mpirun", "-n", "1"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.insert(words.end(), {"--host", host});
  words.insert(words.end(), more.begin(), more.end());
  words.emplace_back("true");
  const SignalScope signals;
  const FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  Child child = Child::start(words, {.out = nowhere.number(), .err = nowhere.number()});
  return child.wait().ending() == Ending::done;
}

}  // namespace epochcast
