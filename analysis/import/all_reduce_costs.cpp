// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/all_reduce_costs.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

namespace epochcast {
namespace {

/// Iteration, process group, and index of the all-reduce in the group and iteration.
using Place = std::tuple<std::int64_t, std::string, std::int64_t>;

/// One all-reduce, as recorded by all ranks.
struct Seen {
  AllReduce first;              ///< as recorded by the first rank
  std::vector<double> times_s;  ///< by rank
  bool is_same = true;          ///< the ranks recorded the same size
};

/// Seconds of each of a rank's all-reduces. One that overlaps an earlier one of its group waits for
/// it, or shares the links with it: its time begins at the end of that one.
std::vector<double> own_times_s(const std::vector<AllReduce>& all_reduces) {
  std::vector<std::size_t> by_end(all_reduces.size());
  std::iota(by_end.begin(), by_end.end(), std::size_t{0});
  std::ranges::stable_sort(by_end, {}, [&](std::size_t i) { return all_reduces[i].end_s; });
  std::map<std::string, double> free_from_s;  // by group
  std::vector<double> times_s(all_reduces.size());
  for (const std::size_t i : by_end) {
    const AllReduce& one = all_reduces[i];
    const auto [before, is_first] = free_from_s.try_emplace(one.group, one.start_s);
    times_s[i] = one.end_s - std::max(one.start_s, before->second);
    before->second = one.end_s;
  }
  return times_s;
}

std::map<Place, Seen> seen_by(std::span<const RankProfile> ranks) {
  std::map<Place, Seen> seen;
  for (const RankProfile& rank : ranks) {
    std::map<std::pair<std::int64_t, std::string>, std::int64_t> ordinals;
    const std::vector<double> times_s = own_times_s(rank.profile.all_reduces);
    for (std::size_t i = 0; i < times_s.size(); ++i) {
      const AllReduce& one = rank.profile.all_reduces[i];
      const auto& iterations = rank.times.iterations;
      const auto within = std::ranges::find_if(iterations, [&](const IterationTimes& iteration) {
        return one.start_s >= iteration.start_s && one.start_s < iteration.end_s;
      });
      if (within == iterations.end()) continue;
      const std::int64_t ordinal = ordinals[{within->number, one.group}]++;
      const auto [at, is_new] = seen.try_emplace({within->number, one.group, ordinal});
      if (is_new) at->second.first = one;
      at->second.is_same = at->second.is_same && one.bytes == at->second.first.bytes;
      at->second.times_s.push_back(times_s[i]);
    }
  }
  return seen;
}

int job_size(std::span<const RankProfile> ranks) {
  int size = static_cast<int>(ranks.size());
  for (const RankProfile& rank : ranks) {
    size = std::max(size, rank.profile.world_size);
    for (const AllReduce& one : rank.profile.all_reduces) size = std::max(size, one.group_size);
  }
  return size;
}

/// The number of profiles that belong to ranks of the all-reduce's group.
std::size_t profiled(const AllReduce& one, std::span<const RankProfile> ranks) {
  if (one.ranks.empty()) return ranks.size();
  return static_cast<std::size_t>(std::ranges::count_if(ranks, [&](const RankProfile& rank) {
    return !rank.profile.rank ||
           std::ranges::find(one.ranks, *rank.profile.rank) != one.ranks.end();
  }));
}

/// "all", "node", or "" for any other group.
std::string scope_of(const AllReduce& one, int group_size, const std::vector<int>& node_of_rank) {
  const auto job = static_cast<int>(node_of_rank.size());
  if (group_size == job) return "all";
  if (one.ranks.empty() || static_cast<int>(one.ranks.size()) != group_size) return "";
  std::optional<int> node;
  for (const int rank : one.ranks) {
    if (rank >= job) return "";
    const int own = node_of_rank[static_cast<std::size_t>(rank)];
    if (node.value_or(own) != own) return "";
    node = own;
  }
  return std::ranges::count(node_of_rank, *node) == group_size ? "node" : "";
}

}  // namespace

AllReduceCosts all_reduce_costs(std::span<const RankProfile> ranks, int ranks_per_node) {
  AllReduceCosts result;
  const int job = job_size(ranks);
  for (int rank = 0; rank < job; ++rank)
    result.node_of_rank.push_back(ranks_per_node > 0 ? rank / ranks_per_node : 0);
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<double>> samples;
  for (const auto& [place, seen] : seen_by(ranks)) {
    const AllReduce& one = seen.first;
    const int group_size = one.group_size > 0 ? one.group_size : job;
    if (group_size < 2) {
      // A job of one rank, which transfers nothing, or one whose other profiles are missing.
      const bool is_alone = one.group_size == 1 || ranks.front().profile.world_size == 1;
      result.uncounted += is_alone ? 0 : 1;
      continue;
    }
    const std::string scope = scope_of(one, group_size, result.node_of_rank);
    if (one.bytes == 0) {
      ++result.unsized;
    } else if (!seen.is_same || seen.times_s.size() != profiled(one, ranks)) {
      ++result.unmatched;
    } else if (scope.empty()) {
      ++result.partial;
    } else {
      ++result.counted;
      result.includes_waiting =
          result.includes_waiting || seen.times_s.size() < static_cast<std::size_t>(group_size);
      samples[{scope, one.backend, one.bytes}].push_back(*std::ranges::min_element(seen.times_s));
    }
  }
  for (const auto& [what, samples_s] : samples) {
    const auto& [scope, backend, bytes] = what;
    result.costs.push_back({.kind = "all-reduce",
                            .scope = scope,
                            .algorithm = backend,
                            .bytes = bytes,
                            .samples_s = samples_s});
  }
  return result;
}

}  // namespace epochcast
