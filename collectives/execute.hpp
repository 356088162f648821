// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// The outcome of executing a schedule in memory.
struct Execution {
  std::string problem;  ///< the first deadlock, wrong peer or unequal sizes; empty without problems
  std::vector<std::int64_t> units_sent;  ///< by every rank, in units of 1/divisions
  std::vector<std::int64_t> messages_sent;
};

/// Runs a schedule over one payload per rank in place, without threads. Numbers are added in the
/// order in which processes would add them, so results are equal bit by bit.
///
/// T is any type whose sum converts to it explicitly: float, double, an integer, or a
/// half-precision type that converts to float, whose elements are then added in float and rounded
/// once a hop.
///
/// A round ends when each of its transfers has been matched (sends do not buffer), so a schedule
/// that completes here needs no buffering by the network. Received blocks are applied in order of
/// listing.
template <typename T>
class Executor {
 public:
  /// All payloads have the same size.
  Executor(const Schedule& schedule, std::vector<std::span<T>> payloads)
      : schedule_(schedule), payloads_(std::move(payloads)), ranks_(payloads_.size()) {
    result_.units_sent.resize(ranks_.size());
    result_.messages_sent.resize(ranks_.size());
  }

  Execution run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) begin_round(static_cast<int>(rank));
    while (!complete_.empty() && result_.problem.empty()) {
      const int rank = complete_.front();
      complete_.pop_front();
      end_round(rank);
      begin_round(rank);
    }
    for (std::size_t rank = 0; rank < ranks_.size() && result_.problem.empty(); ++rank) {
      if (ranks_[rank].pending > 0) report_blocked(static_cast<int>(rank));
    }
    return std::move(result_);
  }

 private:
  struct Rank {
    std::int64_t index = -1;
    Round round;
    std::vector<std::vector<T>> arrived;  ///< one per action
    std::vector<bool> is_matched;
    std::size_t pending = 0;
  };
  struct Posted {
    int rank = 0;
    std::size_t action = 0;
    std::vector<T> data;  ///< of a send
  };
  struct Channel {
    std::deque<Posted> sends;
    std::deque<Posted> receives;
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  std::span<T> payload(int rank) { return payloads_[static_cast<std::size_t>(rank)]; }

  std::size_t element(int rank, std::int64_t unit) {
    const auto elements = static_cast<std::int64_t>(payload(rank).size());
    return static_cast<std::size_t>(first_element(unit, schedule_.divisions(), elements));
  }

  void begin_round(int rank) {
    Rank& state = at(rank);
    do {
      if (++state.index >= schedule_.rounds(rank)) return;
      state.round = schedule_.round(rank, state.index);
    } while (state.round.empty());
    state.arrived.assign(state.round.size(), {});
    state.is_matched.assign(state.round.size(), false);
    state.pending = state.round.size();
    for (std::size_t i = 0; i < state.round.size(); ++i) post(rank, i);
  }

  void post(int rank, std::size_t index) {
    const Action action = at(rank).round[index];
    const auto rank_count = static_cast<int>(ranks_.size());
    if (action.peer < 0 || action.peer >= rank_count || action.peer == rank) {
      result_.problem = "wrong peer: " + describe(rank, index);
      return;
    }
    if (action.kind == ActionKind::send) {
      Posted send{rank, index, {}};
      const std::size_t begin = element(rank, action.block.begin);
      const auto block = payload(rank).subspan(begin, element(rank, action.block.end) - begin);
      send.data.assign(block.begin(), block.end());
      result_.units_sent[static_cast<std::size_t>(rank)] += action.block.size();
      ++result_.messages_sent[static_cast<std::size_t>(rank)];
      Channel& channel = channels_[{rank, action.peer}];
      channel.sends.push_back(std::move(send));
      match(channel);
    } else {
      Channel& channel = channels_[{action.peer, rank}];
      channel.receives.push_back({rank, index, {}});
      match(channel);
    }
  }

  void match(Channel& channel) {
    if (channel.sends.empty() || channel.receives.empty()) return;
    Posted send = std::move(channel.sends.front());
    const Posted receive = std::move(channel.receives.front());
    channel.sends.pop_front();
    channel.receives.pop_front();
    if (at(send.rank).round[send.action].block.size() !=
        at(receive.rank).round[receive.action].block.size()) {
      result_.problem = "unequal sizes: " + describe(send.rank, send.action) + " and " +
                        describe(receive.rank, receive.action);
      return;
    }
    at(receive.rank).arrived[receive.action] = std::move(send.data);
    finish(send);
    finish(receive);
  }

  void finish(const Posted& posted) {
    Rank& state = at(posted.rank);
    state.is_matched[posted.action] = true;
    if (--state.pending == 0) complete_.push_back(posted.rank);
  }

  void end_round(int rank) {
    Rank& state = at(rank);
    for (std::size_t i = 0; i < state.round.size(); ++i) {
      const Action& action = state.round[i];
      std::size_t target = element(rank, action.block.begin);
      for (const T& value : state.arrived[i]) {
        if (target >= payload(rank).size()) break;  // only if omitted rounds misalign blocks
        T& own = payload(rank)[target++];
        own = action.kind == ActionKind::receive ? value : static_cast<T>(own + value);
      }
    }
  }

  void report_blocked(int rank) {
    const Rank& state = at(rank);
    for (std::size_t i = 0; i < state.round.size(); ++i) {
      if (state.is_matched[i]) continue;
      result_.problem = "deadlock: " + describe(rank, i);
      return;
    }
  }

  std::string describe(int rank, std::size_t index) {
    const Action& action = at(rank).round[index];
    const bool is_send = action.kind == ActionKind::send;
    return "rank " + std::to_string(rank) + (is_send ? " sends to " : " receives from ") +
           std::to_string(action.peer) + " in round " + std::to_string(at(rank).index);
  }

  const Schedule& schedule_;
  std::vector<std::span<T>> payloads_;
  std::vector<Rank> ranks_;
  std::map<std::pair<int, int>, Channel> channels_;
  std::deque<int> complete_;
  Execution result_;
};

/// Runs `schedule` over `payloads`, one per rank, in place.
template <typename T>
Execution execute(const Schedule& schedule, std::vector<std::span<T>> payloads) {
  return Executor<T>(schedule, std::move(payloads)).run();
}

}  // namespace epochcast
