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

std::string name_of(const Seat& seat) {
  return "rank " + std::to_string(seat.member.number) +
         (seat.host.empty() ? "" : " on " + seat.host);
}

std::string names_of(const std::vector<Seat>& seats) {
  std::string names;
  for (const Seat& seat : seats) names += (names.empty() ? "" : ", ") + name_of(seat);
  return names;
}

std::string count_text(std::size_t workers) {
  return std::to_string(workers) + (workers == 1 ? " worker" : " workers");
}

/// The workers of an elastic job: those that take part, and those that do not.
class Workers {
 public:
  explicit Workers(const ElasticJob& job) : job_(job) {
    std::tie(here_, absent_) = divided(job.seats, reachable(job.seats));
    if (here_.empty())
      throw RunError("--hosts: none of " + names_of(absent_) + " can be reached by mpirun");
    if (!absent_.empty())
      note(names_of(absent_) + " cannot be reached: beginning with " + count_text(here_.size()) +
           "; looking again after every epoch");
  }

  [[nodiscard]] const std::vector<Seat>& here() const { return here_; }
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
    std::vector<Seat> lost = seats_of(end.death);
    // Else a machine is gone, or nothing that another job would change.
    if (lost.empty() && ending_of(end.status) == Ending::failed)
      lost = divided(here_, reachable(here_)).second;
    if (lost.empty() || lost.size() == here_.size()) return false;
    std::set<int> gone;
    for (const Seat& seat : lost) {
      gone.insert(seat.member.number);
      ++deaths_[seat.member.number];
      absent_.push_back(seat);
    }
    std::erase_if(here_, [&](const Seat& seat) { return gone.contains(seat.member.number); });
    const std::int64_t done = job_.epochs_done();
    note(names_of(lost) + (lost.size() == 1 ? " was lost" : " were lost") + " in epoch " +
         std::to_string(done + 1) +
         (end.death && end.death->rank ? " (" + end.death->signal + ")" : "") + "; going on from " +
         (done == 0 ? "the beginning" : "the end of epoch " + std::to_string(done)) + " with " +
         count_text(here_.size()));
    return true;
  }

  /// Takes back those that can be reached.
  void let_join() {
    const std::vector<Seat> joining = divided(candidates(), reachable(candidates())).first;
    if (joining.empty()) return;
    std::set<int> numbers;
    for (const Seat& seat : joining) numbers.insert(seat.member.number);
    std::erase_if(absent_, [&](const Seat& seat) { return numbers.contains(seat.member.number); });
    here_.insert(here_.end(), joining.begin(), joining.end());
    std::sort(here_.begin(), here_.end(), [](const Seat& a, const Seat& b) {
      return a.member.number < b.member.number;
    });
    note(names_of(joining) + (joining.size() == 1 ? " joins" : " join") + " after epoch " +
         std::to_string(job_.epochs_done()) + ": going on with " + count_text(here_.size()));
  }

 private:
  /// Of the rank, or of all on its machine.
  [[nodiscard]] std::vector<Seat> seats_of(const std::optional<RankDeath>& death) const {
    if (!death) return {};
    if (death->rank) {
      const auto rank = static_cast<std::size_t>(*death->rank);
      return rank < here_.size() ? std::vector<Seat>{here_[rank]} : std::vector<Seat>();
    }
    std::vector<Seat> seats;
    std::copy_if(here_.begin(), here_.end(), std::back_inserter(seats), [&](const Seat& seat) {
      return seat.host == death->host;
    });
    return seats;
  }
  void note(const std::string& line) {
    has_changed_ = true;
    history_.push_back(line);
    job_.say(line);
  }
  [[nodiscard]] std::vector<Seat> candidates() const {
    std::vector<Seat> seats;
    for (const Seat& seat : absent_) {
      const auto deaths = deaths_.find(seat.member.number);
      if (deaths == deaths_.end() || deaths->second < kMostDeaths) seats.push_back(seat);
    }
    return seats;
  }
  /// The machines of seats that answer.
  [[nodiscard]] std::set<std::string> reachable(const std::vector<Seat>& seats) const {
    std::set<std::string> asked;
    std::set<std::string> answering = {""};
    for (const Seat& seat : seats) {
      if (seat.host.empty() || !asked.insert(seat.host).second) continue;
      if (job_.answers(seat.host)) answering.insert(seat.host);
    }
    return answering;
  }
  /// Those on these machines, and the others.
  static std::pair<std::vector<Seat>, std::vector<Seat>> divided(
      const std::vector<Seat>& seats, const std::set<std::string>& machines) {
    std::pair<std::vector<Seat>, std::vector<Seat>> parts;
    for (const Seat& seat : seats)
      (machines.contains(seat.host) ? parts.first : parts.second).push_back(seat);
    return parts;
  }

  const ElasticJob& job_;
  std::vector<Seat> here_;
  std::vector<Seat> absent_;
  std::map<int, int> deaths_;  ///< by number
  std::vector<std::string> history_;
  bool has_changed_ = false;
  bool has_run_ = false;
};

}  // namespace

std::vector<Seat> seats_on(const std::vector<Host>& hosts, int ranks) {
  std::vector<Seat> seats;
  const std::vector<Host> all =
      hosts.empty() ? std::vector<Host>{{.name = "", .ranks = ranks}} : hosts;
  for (const Host& host : all) {
    for (int place = 0; place < host.ranks && std::cmp_less(seats.size(), ranks); ++place) {
      const auto number = static_cast<int>(seats.size());
      seats.push_back({.member = {.number = number, .place = place}, .host = host.name});
    }
  }
  return seats;
}

std::vector<Host> hosts_of(const std::vector<Seat>& seats) {
  std::vector<Host> hosts;
  for (const Seat& seat : seats) {
    if (seat.host.empty()) return {};
    if (hosts.empty() || hosts.back().name != seat.host) hosts.push_back({.name = seat.host});
    ++hosts.back().ranks;
  }
  return hosts;
}

std::string members_text(const std::vector<Seat>& seats) {
  std::string text;
  for (const Seat& seat : seats)
    text += (text.empty() ? "" : ",") + std::to_string(seat.member.number) + ":" +
            std::to_string(seat.member.place);
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
