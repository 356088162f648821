// SPDX-License-Identifier: Apache-2.0
// How the messages of a collective go through SimGrid.
#include <algorithm>
#include <cmath>

#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr int kCollectiveChannel = 0;
// At the end of a transfer, SimGrid searches all others of its actor: beyond this number, they are
// distributed among several.
constexpr std::size_t kMostOfOneActor = 64;

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
  if (round.size() <= kMostOfOneActor) {
    transfer(call, member, unit_bytes, {round.data(), round.size()}, start_s);
  } else {
    share_out(call, member, unit_bytes, {round.data(), round.size()}, start_s);
  }
  // Without messages in this round, the reduction of the previous one is still in progress.
  const double moved_s = std::max(start_s, clock_s());
  return moved_s + call.measured_factor * added_bytes *
                       workers_[static_cast<std::size_t>(self)].reduce_s_per_byte;
}

void Runtime::share_out(const CollectiveCall& call,
                        int member,
                        double unit_bytes,
                        std::span<const Action> actions,
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
        [&, &part = part] { transfer(call, member, unit_bytes, part, start_s); }));
  }
  for (const sg::ActorPtr& helper : helpers) helper->join();
}

void Runtime::transfer(const CollectiveCall& call,
                       int member,
                       double unit_bytes,
                       std::span<const Action> actions,
                       double start_s) {
  struct Post {
    bool is_send;
    const Path* path;
    double bytes;
    double latency_s;
  };
  const auto& ranks = call.among->ranks;
  const int self = ranks[static_cast<std::size_t>(member)];
  boost::container::small_vector<Post, 4> posts;
  for (const Action& action : actions) {
    const int peer = ranks[static_cast<std::size_t>(action.peer)];
    const bool is_send = action.kind == ActionKind::send;
    const double bytes = unit_bytes * static_cast<double>(action.block.size());
    const Path& link_path =
        is_send ? path(self, peer, kCollectiveChannel) : path(peer, self, kCollectiveChannel);
    posts.push_back(
        {is_send, &link_path, bytes, call.measured_factor * link_path.route.latency_for_s(bytes)});
  }
  // Both ends wait for the latency: the transfer starts that long after the later arrival.
  std::stable_sort(posts.begin(), posts.end(), [](const Post& a, const Post& b) {
    return a.latency_s < b.latency_s;
  });
  static int message = 0;  // SimGrid needs a payload
  int* received = nullptr;
  boost::container::small_vector<sg::CommPtr, 4> transfers;
  for (const Post& post : posts) {
    sleep_until(start_s + post.latency_s);
    transfers.push_back(post.is_send ? send_async(*post.path,
                                                  &message,
                                                  call.measured_factor * post.bytes,
                                                  post.path->route.bytes_per_s(post.bytes))
                                     : post.path->mailbox->get_async<int>(&received));
  }
  for (const sg::CommPtr& transfer : transfers) transfer->wait();
}

sg::CommPtr Runtime::send_async(const Path& path, void* content, double bytes, double bytes_per_s) {
  const auto whole = static_cast<std::uint64_t>(std::llround(bytes));
  sg::CommPtr transfer = path.mailbox->put_init(content, whole);
  if (std::isfinite(bytes_per_s)) transfer->set_rate(bytes_per_s);
  transfer->vetoable_start();
  return transfer;
}

}  // namespace epochcast::sim
