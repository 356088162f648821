// SPDX-License-Identifier: Apache-2.0
// How the messages of a collective go through SimGrid.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr int kCollectiveChannel = 0;
// Whenever a transfer ends, SimGrid looks through all others of its actor: beyond this many, they
// are shared out among several.
constexpr std::size_t kMostOfOneActor = 64;

// Who of two that take turns sends first is chance, pair by pair: on a link that several pairs
// share, half of what they send goes the same way at a time, and half against each other. So
// messages go in parts, of which other pairs send other ones first.
constexpr unsigned kPartsOfTurns = 8;

/// Whether the lower of two members sends its part before the higher one. Two pairs do so in the
/// same order in half of the parts, but for those whose lower members are eight apart: in all.
bool is_upward_first(int lower_member, unsigned part) {
  return std::popcount(static_cast<unsigned>(lower_member) & part) % 2 == 0;
}

Exchange kind_of(const Round& round) {
  const auto is_sent = [](const Action& action) { return action.kind == ActionKind::send; };
  if (std::all_of(round.begin(), round.end(), is_sent) ||
      std::none_of(round.begin(), round.end(), is_sent))
    return Exchange::one_way;
  const bool is_of_one = std::all_of(round.begin(), round.end(), [&](const Action& action) {
    return action.peer == round.begin()->peer;
  });
  return is_of_one ? Exchange::pairwise : Exchange::around;
}

}  // namespace

double Runtime::simulate_round(
    CollectiveCall& call, int member, const Round& round, double start_s, Traffic& traffic) {
  const auto& ranks = call.among->ranks;
  const int self = ranks[static_cast<std::size_t>(member)];
  const double unit_bytes =
      call.bytes / static_cast<double>(std::max<std::int64_t>(1, call.schedule->divisions()));
  double added_bytes = 0;
  for (const Action& action : round) {
    const double bytes = unit_bytes * static_cast<double>(action.block.size());
    if (action.kind == ActionKind::send) {
      ++simulated_messages_;
      traffic += traffic_between(self, ranks[static_cast<std::size_t>(action.peer)], bytes);
    } else if (action.kind == ActionKind::receive_add) {
      added_bytes += bytes;
    }
  }
  const Exchange kind = kind_of(round);
  if (round.size() <= kMostOfOneActor) {
    transfer(call, member, unit_bytes, {round.data(), round.size()}, kind, start_s);
  } else {
    share_out(call, member, unit_bytes, {round.data(), round.size()}, kind, start_s);
  }
  // Without messages in this round, what the one before left to add is still being added.
  const double moved_s = std::max(start_s, clock_s());
  return moved_s + call.measured_factor * added_bytes *
                       workers_[static_cast<std::size_t>(self)].reduce_s_per_byte;
}

void Runtime::share_out(const CollectiveCall& call,
                        int member,
                        double unit_bytes,
                        std::span<const Action> actions,
                        Exchange kind,
                        double start_s) {
  // By peer: transfers of a pair match in the order in which they are posted.
  std::vector<std::vector<Action>> parts(actions.size() / kMostOfOneActor + 1);
  for (const Action& action : actions)
    parts[static_cast<std::size_t>(action.peer) % parts.size()].push_back(action);
  std::vector<sg::ActorPtr> helpers;
  helpers.reserve(parts.size());
  for (const std::vector<Action>& part : parts) {
    helpers.push_back(sg::Actor::create(
        "transfers",
        rank(call.among->ranks[static_cast<std::size_t>(member)]).host,
        [&, &part = part] { transfer(call, member, unit_bytes, part, kind, start_s); }));
  }
  for (const sg::ActorPtr& helper : helpers) helper->join();
}

void Runtime::transfer(const CollectiveCall& call,
                       int member,
                       double unit_bytes,
                       std::span<const Action> actions,
                       Exchange kind,
                       double start_s) {
  struct Post {
    bool is_send;
    bool is_upward;  ///< to a higher member
    const Path* path;
    double bytes;  ///< at once
    double load;   ///< of these: what links carry
    double bytes_per_s;
    double latency_s;
    double bytes_in_turns;  ///< when these have arrived
  };
  const auto& ranks = call.among->ranks;
  const int self = ranks[static_cast<std::size_t>(member)];
  const bool is_pair = kind == Exchange::pairwise;
  boost::container::small_vector<Post, 4> posts;
  for (const Action& action : actions) {
    const int peer = ranks[static_cast<std::size_t>(action.peer)];
    const bool is_send = action.kind == ActionKind::send;
    const double bytes = unit_bytes * static_cast<double>(action.block.size());
    const Path& way =
        is_send ? path(self, peer, kCollectiveChannel) : path(peer, self, kCollectiveChannel);
    const double bytes_in_turns =
        is_pair ? std::round(bytes * way.way.share_of_turns(call.turns, bytes, call.bytes)) : 0;
    const double load = way.way.load_of(kind, bytes);
    const double share = way.way.share_of(kind, bytes);
    const double at_once = bytes - bytes_in_turns;
    posts.push_back({is_send,
                     (action.peer > member) == is_send,
                     &way,
                     at_once,
                     call.measured_factor * load,
                     load / share * way.way.bytes_per_s(bytes),
                     call.measured_factor * share * way.way.latency_for_s(bytes),
                     bytes_in_turns});
  }
  // Both ends wait for the latency: the bytes flow that long after the later one has come.
  std::stable_sort(posts.begin(), posts.end(), [](const Post& a, const Post& b) {
    return a.latency_s < b.latency_s;
  });
  static int message = 0;  // SimGrid wants something to carry
  int* received = nullptr;
  const auto begin = [&](const Post& post, double bytes) {
    return post.is_send ? send_async(*post.path, &message, post.load * bytes, post.bytes_per_s)
                        : post.path->mailbox->get_async<int>(&received);
  };
  boost::container::small_vector<sg::CommPtr, 4> transfers;
  for (const Post& post : posts) {
    sleep_until(start_s + post.latency_s);
    if (post.bytes > 0 || post.bytes_in_turns == 0) transfers.push_back(begin(post, post.bytes));
  }
  for (const sg::CommPtr& transfer : transfers) transfer->wait();
  if (std::none_of(
          posts.begin(), posts.end(), [](const Post& post) { return post.bytes_in_turns > 0; }))
    return;
  const int lower = std::min(member, actions.front().peer);
  const unsigned parts = call.among->size() > 2 ? kPartsOfTurns : 1;
  for (unsigned part = 0; part < parts; ++part) {
    for (const bool is_first : {true, false}) {
      const bool is_upward = is_upward_first(lower, part) == is_first;
      for (const Post& post : posts) {
        if (post.is_upward != is_upward || post.bytes_in_turns == 0) continue;
        if (post.is_send && part == 0 && !is_first) sleep_until(clock_s() + post.latency_s);
        begin(post, post.bytes_in_turns / parts)->wait();
      }
    }
  }
}

sg::CommPtr Runtime::send_async(const Path& path, void* content, double bytes, double bytes_per_s) {
  const auto whole = static_cast<std::uint64_t>(std::llround(bytes));
  sg::CommPtr transfer = path.mailbox->put_init(content, whole);
  if (std::isfinite(bytes_per_s)) transfer->set_rate(bytes_per_s);
  transfer->vetoable_start();
  return transfer;
}

}  // namespace epochcast::sim
