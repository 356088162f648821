// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/in_place.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/files/text_file.hpp"

namespace epochcast {

std::vector<int> workers_by_node(std::span<const WorkerInfo> workers) {
  std::vector<int> counts;
  for (const WorkerInfo& worker : workers) {
    const auto node = static_cast<std::size_t>(worker.node);
    if (node >= counts.size()) counts.resize(node + 1, 0);
    ++counts[node];
  }
  return counts;
}

std::optional<std::vector<Host>> hosts_in_place(const std::vector<Host>& hosts,
                                                const std::vector<int>& workers_of_node) {
  if (hosts.size() < workers_of_node.size()) return std::nullopt;
  std::vector<Host> placed;
  for (std::size_t i = 0; i < workers_of_node.size(); ++i) {
    if (hosts[i].ranks < workers_of_node[i]) return std::nullopt;
    if (workers_of_node[i] > 0)
      placed.push_back({.name = hosts[i].name, .ranks = workers_of_node[i]});
  }
  return placed;
}

std::vector<std::string> words_in_place(const std::vector<Host>& hosts) {
  // By slot, mpirun would begin with its own machine.
  std::string names;
  for (const Host& host : hosts) {
    for (int rank = 0; rank < host.ranks; ++rank) names += (names.empty() ? "" : ",") + host.name;
  }
  return {"--host", names, "--map-by", "seq"};
}

std::vector<Host> parse_hostfile(const std::string& text, int default_ranks) {
  static const std::regex kLine("([A-Za-z0-9][A-Za-z0-9._-]*)(\\s+slots\\s*=\\s*([0-9]{1,6}))?");
  constexpr std::size_t kLongestLine = 300;  // of names; std::regex may overflow the stack
  std::vector<Host> hosts;
  std::istringstream file(text);
  for (std::string line; std::getline(file, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    std::smatch match;
    if (line.size() > kLongestLine || !std::regex_match(line, match, kLine)) return {};
    const bool is_twice = std::any_of(
        hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == match[1]; });
    if (is_twice) return {};
    hosts.push_back(
        {.name = match[1], .ranks = match[3].matched ? std::stoi(match[3]) : default_ranks});
  }
  return hosts;
}

std::vector<Host> hosts_of_environment(int default_ranks) {
  const char* const file = std::getenv("OMPI_MCA_orte_default_hostfile");
  std::error_code unreadable;
  if (file == nullptr || !std::filesystem::is_regular_file(file, unreadable)) return {};
  try {
    return parse_hostfile(read_text_file(file), default_ranks);
  } catch (const UserError&) {
    return {};  // mpirun, which needs the file, reports its error
  }
}

bool place_ranks(const std::string& mpi_arguments) {
  constexpr std::array<std::string_view, 9> kPlacing = {"H",
                                                        "host",
                                                        "hostfile",
                                                        "machinefile",
                                                        "default-hostfile",
                                                        "map-by",
                                                        "rankfile",
                                                        "rf",
                                                        "npernode"};
  std::istringstream words(mpi_arguments);
  for (std::string word; words >> word;) {
    const std::size_t dashes = word.find_first_not_of('-');
    if (dashes == 0 || dashes == std::string::npos) continue;
    const std::string name = word.substr(dashes);
    if (std::find(kPlacing.begin(), kPlacing.end(), name) != kPlacing.end()) return true;
  }
  return false;
}

}  // namespace epochcast
