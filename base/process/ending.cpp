// SPDX-License-Identifier: Apache-2.0
#include "base/process/ending.hpp"

#include <sys/wait.h>

#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/process/diverged.hpp"
#include "base/process/interruption.hpp"

namespace epochcast {

int status_of(const std::exception& error) {
  if (const auto* end = dynamic_cast<const Interrupted*>(&error))
    return status_of(Ending::killed) + end->signal();
  if (dynamic_cast<const UserError*>(&error) != nullptr) return status_of(Ending::bad_input);
  if (dynamic_cast<const Diverged*>(&error) != nullptr) return status_of(Ending::diverged);
  return status_of(Ending::failed);
}

std::vector<std::string> problems_of(const std::exception& error) {
  if (const auto* bad_input = dynamic_cast<const UserError*>(&error)) return bad_input->problems();
  if (const auto* of_files = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return {of_files->path1().string() + ": " + of_files->code().message()};
  return {error.what()};
}

Ending ending_of(int status_in_shell) {
  if (status_in_shell > status_of(Ending::killed)) return Ending::killed;
  for (const Ending ending : {Ending::done, Ending::bad_input, Ending::diverged}) {
    if (status_in_shell == status_of(ending)) return ending;
  }
  return Ending::failed;
}

Ending ExitStatus::ending() const { return ending_of(in_shell()); }

int ExitStatus::in_shell() const {
  return WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_)
                                 : status_of(Ending::killed) + WTERMSIG(wait_status_);
}

std::string ExitStatus::death() const {
  if (WIFSIGNALED(wait_status_)) {
    const int signal = WTERMSIG(wait_status_);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  const int code = WEXITSTATUS(wait_status_);
  return code == 0 ? "" : "ended with exit status " + std::to_string(code);
}

}  // namespace epochcast
