// SPDX-License-Identifier: Apache-2.0
// A program that a ForkServer of the tests loads. Its runs do what their first argument says.
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "base/process/fork_server.hpp"

namespace {

int run(const std::vector<std::string>& arguments) {
  const std::string& what = arguments.at(0);
  if (what == "loaded") std::cout << getppid() << ' ' << getpid() << '\n';
  if (what == "echo") {
    for (const std::string& each : arguments) std::cout << '[' << each << ']';
    std::cerr << "message";
  }
  if (what == "kill") raise(SIGKILL);
  if (what == "wait") {
    std::cout << getpid() << '\n' << std::flush;
    pause();
  }
  return what == "fail" ? 3 : 0;
}

}  // namespace

int main() { epochcast::serve_forks(run); }
