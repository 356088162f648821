// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/elastic.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/process/ending.hpp"

namespace epochcast {
namespace {

constexpr int kMostDeaths = 3;

std::string name_of(const RankPlacement& placement) {
  return "rank " + std::to_string(placement.member.number) +
         (placement.host.empty() ? "" : " on " + placement.host);
}

std::string names_of(const std::vector<RankPlacement>& placements) {
  std::string names;
  for (const RankPlacement& placement : placements)
    names += (names.empty() ? "" : ", ") + name_of(placement);
  return names;
}

std::string count_text(std::size_t workers) {
  return std::to_string(workers) + (workers == 1 ? " worker" : " workers");
}

/// The workers of an elastic job: those that take part, and those that do not.
class Workers {
 public:
  explicit Workers(const ElasticJob& job) : job_(job) {
    std::tie(here_, absent_) = divided(job.placements, reachable(job.placements));
    if (here_.empty())
      throw RunError("--hosts: none of " + names_of(absent_) + " can be reached by mpirun");
    if (!absent_.empty())
      note(names_of(absent_) + " cannot be reached: beginning with " + count_text(here_.size()) +
           "; looking again after every epoch");
  }

  [[nodiscard]] const std::vector<RankPlacement>& here() const { return here_; }
  /// Whether some may join.
  [[nodiscard]] bool is_waiting() const { return !candidates().empty(); }

  [[nodiscard]] std::vector<std::string> flags() const {
    std::vector<std::string> flags;
    if (has_changed_) flags.push_back("--members=" + members_text(here_));
    if (has_run_) flags.emplace_back("--resume");
    if (is_waiting()) flags.emplace_back("--pause-after=1");
    for (const std::string& line : history_) flags.push_back("--history=" + line);
    return flags;
  }
  void have_run() { has_run_ = true; }

  /// Takes out those that a run has lost; whether there are any, and others are left.
  [[nodiscard]] bool lose(const CommandEnd& end) {
    std::vector<RankPlacement> lost = lost_by(end.death);
    // Else a machine is gone, or nothing that another job would change.
    if (lost.empty() && ending_of(end.status) == Ending::failed)
      lost = divided(here_, reachable(here_)).second;
    if (lost.empty() || lost.size() == here_.size()) return false;
    std::set<int> gone;
    for (const RankPlacement& placement : lost) {
      gone.insert(placement.member.number);
      ++deaths_[placement.member.number];
      absent_.push_back(placement);
    }
    std::erase_if(here_, [&](const RankPlacement& placement) {
      return gone.contains(placement.member.number);
    });
    const std::int64_t done = job_.epochs_done();
    note(names_of(lost) + (lost.size() == 1 ? " was lost" : " were lost") + " in epoch " +
         std::to_string(done + 1) +
         (end.death && end.death->rank ? " (" + end.death->signal + ")" : "") +
         "; continuing from " +
         (done == 0 ? "the beginning" : "the end of epoch " + std::to_string(done)) + " with " +
         count_text(here_.size()));
    return true;
  }

  /// Takes back those that can be reached.
  void let_join() {
    const std::vector<RankPlacement> joining = divided(candidates(), reachable(candidates())).first;
    if (joining.empty()) return;
    std::set<int> numbers;
    for (const RankPlacement& placement : joining) numbers.insert(placement.member.number);
    std::erase_if(absent_, [&](const RankPlacement& placement) {
      return numbers.contains(placement.member.number);
    });
    here_.insert(here_.end(), joining.begin(), joining.end());
    std::sort(here_.begin(), here_.end(), [](const RankPlacement& a, const RankPlacement& b) {
      return a.member.number < b.member.number;
    });
    note(names_of(joining) + (joining.size() == 1 ? " joins" : " join") + " after epoch " +
         std::to_string(job_.epochs_done()) + ": continuing with " + count_text(here_.size()));
  }

 private:
  /// Of the rank, or of all on its machine.
  [[nodiscard]] std::vector<RankPlacement> lost_by(const std::optional<RankDeath>& death) const {
    if (!death) return {};
    if (death->rank) {
      const auto rank = static_cast<std::size_t>(*death->rank);
      return rank < here_.size() ? std::vector<RankPlacement>{here_[rank]}
                                 : std::vector<RankPlacement>();
    }
    std::vector<RankPlacement> placements;
    std::copy_if(here_.begin(),
                 here_.end(),
                 std::back_inserter(placements),
                 [&](const RankPlacement& placement) { return placement.host == death->host; });
    return placements;
  }
  void note(const std::string& line) {
    has_changed_ = true;
    history_.push_back(line);
    job_.say(line);
  }
  [[nodiscard]] std::vector<RankPlacement> candidates() const {
    std::vector<RankPlacement> placements;
    for (const RankPlacement& placement : absent_) {
      const auto deaths = deaths_.find(placement.member.number);
      if (deaths == deaths_.end() || deaths->second < kMostDeaths) placements.push_back(placement);
    }
    return placements;
  }
  /// The machines of placements that answer.
  [[nodiscard]] std::set<std::string> reachable(
      const std::vector<RankPlacement>& placements) const {
    std::set<std::string> asked;
    std::set<std::string> answering = {""};
    for (const RankPlacement& placement : placements) {
      if (placement.host.empty() || !asked.insert(placement.host).second) continue;
      if (job_.answers(placement.host)) answering.insert(placement.host);
    }
    return answering;
  }
  /// Those on these machines, and the others.
  static std::pair<std::vector<RankPlacement>, std::vector<RankPlacement>> divided(
      const std::vector<RankPlacement>& placements, const std::set<std::string>& machines) {
    std::pair<std::vector<RankPlacement>, std::vector<RankPlacement>> parts;
    for (const RankPlacement& placement : placements)
      (machines.contains(placement.host) ? parts.first : parts.second).push_back(placement);
    return parts;
  }

  const ElasticJob& job_;
  std::vector<RankPlacement> here_;
  std::vector<RankPlacement> absent_;
  std::map<int, int> deaths_;  ///< by number
  std::vector<std::string> history_;
  bool has_changed_ = false;
  bool has_run_ = false;
};

}  // namespace

std::vector<RankPlacement> placements_on(const std::vector<Host>& hosts, int ranks) {
  std::vector<RankPlacement> placements;
  const std::vector<Host> all =
      hosts.empty() ? std::vector<Host>{{.name = "", .ranks = ranks}} : hosts;
  for (const Host& host : all) {
    for (int place = 0; place < host.ranks && std::cmp_less(placements.size(), ranks); ++place) {
      const auto number = static_cast<int>(placements.size());
      placements.push_back({.member = {.number = number, .place = place}, .host = host.name});
    }
  }
  return placements;
}

std::vector<Host> hosts_of(const std::vector<RankPlacement>& placements) {
  std::vector<Host> hosts;
  for (const RankPlacement& placement : placements) {
    if (placement.host.empty()) return {};
    if (hosts.empty() || hosts.back().name != placement.host)
      hosts.push_back({.name = placement.host});
    ++hosts.back().ranks;
  }
  return hosts;
}

std::string members_text(const std::vector<RankPlacement>& placements) {
  std::string text;
  for (const RankPlacement& placement : placements)
    text += (text.empty() ? "" : ",") + std::to_string(placement.member.number) + ":" +
            std::to_string(placement.member.place);
  return text;
}

CommandEnd run_elastic(const ElasticJob& job) {
  Workers workers(job);
  while (true) {
    const bool is_waiting = workers.is_waiting();
    CommandEnd end = job.run(workers.here(), workers.flags());
    workers.have_run();
    if (end.status == 0 && (!is_waiting || job.epochs_done() >= job.epochs)) return end;
    if (end.status == 0) {
      workers.let_join();
    } else if (!workers.lose(end)) {
      return end;
    }
  }
}

}  // namespace epochcast
