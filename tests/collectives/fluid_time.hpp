// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast::tests {

/// The route of a message.
struct FluidRoute {
  double alpha_s = 0;                                                 ///< before its first byte
  std::vector<std::size_t> links;                                     ///< indices, each once
  double most_bytes_per_s = std::numeric_limits<double>::infinity();  ///< of itself
};

/// Seconds that a schedule takes on a network, by an event simulation of its own.
///
/// A transfer begins when both sides have posted it, waits its route's alpha_s, then moves at the
/// max-min fair rate on its links. Quadratic: for small groups.
class FluidNetwork {
 public:
  using RouteBetween = std::function<FluidRoute(int from, int to, double bytes)>;

  /// Links by bytes per second; seconds per reduced byte, by rank.
  FluidNetwork(std::vector<double> links, RouteBetween route, std::vector<double> gamma_s_per_byte)
      : links_(std::move(links)),
        route_(std::move(route)),
        gamma_s_per_byte_(std::move(gamma_s_per_byte)) {}

  /// The network of closed_forms.hpp.
  FluidNetwork(int ranks, double alpha_s, double beta_s_per_byte, double gamma_s_per_byte)
      : FluidNetwork(
            std::vector<double>(2 * static_cast<std::size_t>(ranks), 1 / beta_s_per_byte),
            // Links 2r and 2r+1 lead out of and into rank r.
            [alpha_s](int from, int to, double) {
              return FluidRoute{
                  alpha_s,
                  {2 * static_cast<std::size_t>(from), 2 * static_cast<std::size_t>(to) + 1}};
            },
            std::vector<double>(static_cast<std::size_t>(ranks), gamma_s_per_byte)) {}

  [[nodiscard]] double time_s(const Schedule& schedule, double payload_bytes) const {
    State state{.schedule = schedule,
                .unit_bytes = payload_bytes / static_cast<double>(schedule.divisions()),
                .ranks = std::vector<Rank>(static_cast<std::size_t>(schedule.ranks()))};
    for (;;) {
      for (std::size_t r = 0; r < state.ranks.size(); ++r) advance(state, static_cast<int>(r));
      const double next_s = next_event_s(state);
      if (next_s == kNever) return state.now_s;
      move_until(state, next_s);
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr double kSlack =
      1e-12;  // rounding of the clock, far below any alpha or beta used

  struct Rank {
    std::int64_t index = -1;
    std::size_t pending = 0;
    double added_bytes = 0;
    double ready_s = 0;
    bool is_done = false;
  };
  struct Flow {
    int from;
    int to;
    FluidRoute route;
    double starts_s;
    double left_bytes;
    double rate;
  };
  struct Channel {
    std::vector<std::int64_t> sent_units;
    std::size_t receives = 0;
    std::size_t matched = 0;
  };
  struct State {
    const Schedule& schedule;
    double unit_bytes;
    std::vector<Rank> ranks;
    std::map<std::pair<int, int>, Channel> channels{};
    std::vector<Flow> flows{};
    double now_s = 0;
  };

  static Rank& at(State& state, int rank) { return state.ranks[static_cast<std::size_t>(rank)]; }

  void advance(State& state, int r) const {
    Rank& rank = at(state, r);
    while (!rank.is_done && rank.pending == 0 && rank.ready_s <= state.now_s + kSlack) {
      if (++rank.index >= state.schedule.rounds(r)) {
        rank.is_done = true;
        return;
      }
      rank.added_bytes = 0;
      for (const Action& action : state.schedule.round(r, rank.index)) {
        ++rank.pending;
        const bool is_send = action.kind == ActionKind::send;
        const auto bytes = static_cast<double>(action.block.size()) * state.unit_bytes;
        if (action.kind == ActionKind::receive_add) rank.added_bytes += bytes;
        const int from = is_send ? r : action.peer;
        const int to = is_send ? action.peer : r;
        Channel& channel = state.channels[{from, to}];
        if (is_send) channel.sent_units.push_back(action.block.size());
        if (!is_send) ++channel.receives;
        if (channel.matched < std::min(channel.sent_units.size(), channel.receives)) {
          const double whole =
              static_cast<double>(channel.sent_units[channel.matched++]) * state.unit_bytes;
          FluidRoute route = route_(from, to, whole);
          const double starts_s = state.now_s + route.alpha_s;
          state.flows.push_back({from, to, std::move(route), starts_s, whole, 0});
        }
      }
    }
  }

  /// Sets the max-min fair rates and returns when the next transfer or wait ends.
  double next_event_s(State& state) const {
    share_links(state);
    double next_s = kNever;
    for (const Flow& flow : state.flows) {
      const double ends_s = flow.starts_s > state.now_s + kSlack
                                ? flow.starts_s
                                : state.now_s + flow.left_bytes / flow.rate;
      next_s = std::min(next_s, ends_s);
    }
    for (const Rank& rank : state.ranks) {
      if (!rank.is_done && rank.pending == 0) next_s = std::min(next_s, rank.ready_s);
    }
    return next_s;
  }

  void share_links(State& state) const {
    std::vector<Flow*> open;
    for (Flow& flow : state.flows) {
      if (flow.starts_s <= state.now_s + kSlack) open.push_back(&flow);
    }
    std::vector<double> free = links_;
    while (!open.empty()) {
      std::vector<double> users(free.size(), 0);
      double rate = kNever;
      for (const Flow* flow : open) {
        rate = std::min(rate, flow->route.most_bytes_per_s);
        for (const std::size_t link : flow->route.links) users[link] += 1;
      }
      std::size_t tightest = free.size();  // none: a message is as fast as it can be
      for (std::size_t link = 0; link < free.size(); ++link) {
        if (users[link] > 0 && free[link] / users[link] < rate) {
          tightest = link;
          rate = free[link] / users[link];
        }
      }
      std::erase_if(open, [&](Flow* flow) {
        const std::vector<std::size_t>& links = flow->route.links;
        const bool is_settled = tightest == free.size()
                                    ? flow->route.most_bytes_per_s <= rate
                                    : std::ranges::find(links, tightest) != links.end();
        if (!is_settled) return false;
        flow->rate = rate;
        for (const std::size_t link : links) free[link] = std::max(0.0, free[link] - flow->rate);
        return true;
      });
    }
  }

  void move_until(State& state, double next_s) const {
    const double elapsed_s = next_s - state.now_s;
    for (Flow& flow : state.flows) {
      if (flow.starts_s <= state.now_s + kSlack) flow.left_bytes -= flow.rate * elapsed_s;
    }
    state.now_s = next_s;
    std::erase_if(state.flows, [&](const Flow& flow) {
      if (flow.left_bytes > flow.rate * kSlack || flow.rate == 0) return false;
      finish_one(state, flow.from);
      finish_one(state, flow.to);
      return true;
    });
  }

  void finish_one(State& state, int r) const {
    Rank& rank = at(state, r);
    if (--rank.pending == 0)
      rank.ready_s =
          state.now_s + rank.added_bytes * gamma_s_per_byte_[static_cast<std::size_t>(r)];
  }

  std::vector<double> links_;
  RouteBetween route_;
  std::vector<double> gamma_s_per_byte_;
};

}  // namespace epochcast::tests
