// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/mpirun_messages.hpp"

namespace epochcast {

/// The program of that name in this program's folder. Throws a UserError when this build has none.
[[nodiscard]] std::string sibling(const std::string& name);

/// A number of ranks. Throws a UserError that begins with the option's name.
[[nodiscard]] int parse_ranks(const std::string& option, const std::string& text);

/// A machine for mpirun, and its number of ranks.
struct Host {
  std::string name;
  int ranks = 0;
};
/// The hosts of --hosts: "node1,node2:4"; `default_ranks` without a number, at most a million in
/// all. Throws a UserError.
[[nodiscard]] std::vector<Host> parse_hosts(const std::string& text, int default_ranks);
/// The total number of ranks.
[[nodiscard]] int room(const std::vector<Host>& hosts);
/// In the syntax of mpirun's --host.
[[nodiscard]] std::string hosts_text(const std::vector<Host>& hosts);

/// How a command ended.
struct CommandEnd {
  int status = 0;                       ///< its exit status, or 128 + number of a signal
  std::optional<RankDeath> death = {};  ///< of mpirun's first rank that was killed
};

/// Runs the words as a command. Throws Interrupted after the command's end.
[[nodiscard]] CommandEnd run_words(const std::vector<std::string>& words);

/// The same for mpirun, whose temporary files are removed afterwards.
[[nodiscard]] CommandEnd run_mpirun(const std::vector<std::string>& words);

/// Whether mpirun, with these arguments, starts a process on a machine within some seconds.
[[nodiscard]] bool mpirun_reaches(const std::string& host, const std::vector<std::string>& more);

}  // namespace epochcast
