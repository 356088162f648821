// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/messages.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>
#include <optional>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr int kCollectiveChannel = 0;
constexpr int kMessageChannel = 1;
constexpr int kTransportChannel = 2;
// At the end of a transfer, SimGrid searches all others of its actor: beyond this number, they are
// distributed among several.
constexpr std::size_t kMostOfOneActor = 64;

}  // namespace

void Messages::begin_pass() {
  for (auto& [key, path] : paths_) {
    path.offered = path.asked = nullptr;
    path.only_sent.clear();
    path.only_asked.clear();
  }
}

Messages::Path& Messages::path(int from, int to, int channel) {
  const auto key = (static_cast<std::uint64_t>(channel) << 62) |
                   (static_cast<std::uint64_t>(from) << 31) | static_cast<std::uint64_t>(to);
  Path& known = paths_[key];
  if (known.mailbox == nullptr) {
    known.mailbox = sg::Mailbox::by_name(std::to_string(key));
    known.route = channel == kTransportChannel ? state_.layout.channel_route(from, to)
                                               : state_.layout.route(from, to);
  }
  return known;
}

double Messages::ahead_s(const CollectiveCall& call) const {
  if (!call.transport) return 0;
  const MessageTransport& transport = *call.transport;
  const std::vector<int>& ranks = call.among->ranks;
  std::optional<double> in_node_s;
  std::optional<double> between_nodes_s;
  for (std::size_t i = 1; i < ranks.size() && !(in_node_s && between_nodes_s); ++i) {
    const bool is_inside =
        state_.layout.worker(ranks[i - 1]).node == state_.layout.worker(ranks[i]).node;
    std::optional<double>& found = is_inside ? in_node_s : between_nodes_s;
    const double least_s = is_inside ? transport.hop_in_node_s : transport.hop_between_nodes_s;
    if (!found) found = hop_s(call, ranks[i - 1], ranks[i], least_s);
  }
  const double hops_s =
      static_cast<double>(transport.hops_in_node) * in_node_s.value_or(0) +
      static_cast<double>(transport.hops_between_nodes) * between_nodes_s.value_or(0);
  return call.measured_factor * (transport.start_s + hops_s);
}

double Messages::hop_s(const CollectiveCall& call, int from, int to, double least_s) const {
  const Cluster::Route route = state_.layout.channel_route(from, to);
  const bool is_inside = state_.layout.worker(from).node == state_.layout.worker(to).node;
  // A library's latencies in nodes include those of links, unless messages were measured.
  if (is_inside && route.messages == nullptr) return least_s;
  const double unit_bytes = call.bytes / static_cast<double>(call.schedule->divisions());
  return std::max(least_s, route.latency_for_s(unit_bytes));
}

double Messages::simulate_round(
    const CollectiveCall& call, int member, const Round& round, double start_s, Traffic& traffic) {
  const auto& ranks = call.among->ranks;
  const int self = ranks[static_cast<std::size_t>(member)];
  const double unit_bytes =
      call.bytes / static_cast<double>(std::max<std::int64_t>(1, call.schedule->divisions()));
  double added_bytes = 0;
  for (const Action& action : round) {
    const double bytes = unit_bytes * static_cast<double>(action.block.size());
    if (action.kind == ActionKind::send) {
      ++sent_;
      traffic += state_.layout.traffic(self, ranks[static_cast<std::size_t>(action.peer)], bytes);
    } else if (action.kind == ActionKind::receive_add && !call.transport) {
      added_bytes += bytes;
    }
  }
  if (round.size() <= kMostOfOneActor) {
    transfer(call, member, unit_bytes, {round.data(), round.size()}, start_s);
  } else {
    share_out(call, member, unit_bytes, {round.data(), round.size()}, start_s);
  }
  // Without messages in this round, the reduction of the previous one is still in progress.
  const double moved_s = std::max(start_s, state_.clocks.simgrid_s());
  return moved_s +
         call.measured_factor * added_bytes * state_.layout.worker(self).reduce_s_per_byte;
}

void Messages::share_out(const CollectiveCall& call,
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
    helpers.push_back(sg::Actor::create("transfers", sg::this_actor::get_host(), [&, &part = part] {
      transfer(call, member, unit_bytes, part, start_s);
    }));
  }
  for (const sg::ActorPtr& helper : helpers) helper->join();
}

void Messages::transfer(const CollectiveCall& call,
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
  const bool is_plain = !call.transport;
  const int channel = is_plain ? kCollectiveChannel : kTransportChannel;
  const double on_links = is_plain ? 1 : call.transport->bytes_per_payload_byte;
  boost::container::small_vector<Post, 4> posts;
  for (const Action& action : actions) {
    const int peer = ranks[static_cast<std::size_t>(action.peer)];
    const bool is_send = action.kind == ActionKind::send;
    const double bytes = unit_bytes * static_cast<double>(action.block.size());
    const Path& link_path = is_send ? path(self, peer, channel) : path(peer, self, channel);
    const double latency_s = is_plain ? link_path.route.latency_for_s(bytes) : 0;
    posts.push_back({is_send, &link_path, bytes, call.measured_factor * latency_s});
  }
  // Both ends wait for the latency: the transfer starts that long after the later arrival.
  std::stable_sort(posts.begin(), posts.end(), [](const Post& a, const Post& b) {
    return a.latency_s < b.latency_s;
  });
  static int message = 0;  // SimGrid needs a payload
  int* received = nullptr;
  boost::container::small_vector<sg::CommPtr, 4> transfers;
  for (const Post& post : posts) {
    state_.clocks.sleep_until(start_s + post.latency_s);
    if (!post.is_send) {
      transfers.push_back(post.path->mailbox->get_async<int>(&received));
      continue;
    }
    double most_bytes_per_s = post.path->route.bytes_per_s(post.bytes);
    if (!is_plain)
      most_bytes_per_s = std::min(most_bytes_per_s, on_links * call.transport->most_bytes_per_s);
    transfers.push_back(send_async(
        *post.path, &message, call.measured_factor * on_links * post.bytes, most_bytes_per_s));
  }
  for (const sg::CommPtr& transfer : transfers) transfer->wait();
}

sg::CommPtr Messages::send_async(const Path& path,
                                 void* content,
                                 double bytes,
                                 double bytes_per_s) {
  const auto whole = static_cast<std::uint64_t>(std::llround(bytes));
  sg::CommPtr transfer = path.mailbox->put_init(content, whole);
  if (std::isfinite(bytes_per_s)) transfer->set_rate(bytes_per_s);
  transfer->vetoable_start();
  return transfer;
}

Request Messages::start(int self, int from, int to, Payload payload) {
  WorkerClock& clock = state_.clocks.of(self);
  state_.clocks.sleep_until(clock.local_s);
  auto message = std::make_shared<PointToPoint>(self, from == self);
  if (state_.pass.timeline != nullptr)
    message->label =
        message->is_send ? "send to " + std::to_string(to) : "receive from " + std::to_string(from);
  message->bytes = payload.bytes();
  message->footprint = state_.layout.footprint({from, to});
  message->token = state_.interference.begin_simulated(message->footprint, clock.local_s);
  Path& used = path(from, to, kMessageChannel);
  auto& others = message->is_send ? used.only_asked : used.only_sent;
  if (others.empty()) {
    message->begun_s = std::make_shared<double>(clock.local_s);
    (message->is_send ? used.only_sent : used.only_asked).push_back(message->begun_s);
  } else {
    message->begun_s = others.front();
    *message->begun_s = std::max(*message->begun_s, clock.local_s);
    others.pop_front();
  }
  const sg::SemaphorePtr posted = sg::Semaphore::create(0);
  const sg::SemaphorePtr before =
      std::exchange(message->is_send ? used.offered : used.asked, posted);
  const auto numbers = std::make_shared<std::vector<std::byte>*>();  // in transfer
  if (message->is_send) {
    *numbers = new std::vector<std::byte>(payload.data.begin(), payload.data.end());
    ++sent_;
    clock.traffic += state_.layout.traffic(from, to, payload.bytes());
  } else {
    message->take_numbers = [numbers, payload] {
      const std::unique_ptr<std::vector<std::byte>> taken(*numbers);
      std::ranges::copy(*taken, payload.data.begin());
    };
  }
  carry(self, [this, message, numbers, payload, &used, before, posted] {
    const double bytes = payload.bytes();
    state_.clocks.sleep_until(state_.clocks.simgrid_s() + used.route.latency_for_s(bytes));
    if (before) before->acquire();
    const sg::CommPtr transfer =
        message->is_send ? send_async(used, *numbers, bytes, used.route.bytes_per_s(bytes))
                         : used.mailbox->get_async<std::vector<std::byte>>(numbers.get());
    posted->release();
    transfer->wait();
    message->end(state_.clocks);
  });
  return message;
}

void Messages::carry(int rank, std::function<void()> message) {
  carriers_.resize(state_.layout.workers().size());
  Carriers& own = carriers_[static_cast<std::size_t>(rank)];
  if (own.idle.empty()) {
    auto made = std::make_unique<Carrier>();
    made->work = sg::Semaphore::create(0);
    sg::Actor::create("message", state_.layout.host(rank), [&own, carrier = made.get()] {
      while (true) {
        carrier->work->acquire();
        carrier->message();
        carrier->message = nullptr;
        own.idle.push_back(carrier);
      }
    })->daemonize();
    own.idle.push_back(made.get());
    own.all.push_back(std::move(made));
  }
  Carrier& carrier = *own.idle.back();
  own.idle.pop_back();
  carrier.message = std::move(message);
  carrier.work->release();
}

void Messages::wait(int self, Operation& operation) {
  auto& message = dynamic_cast<PointToPoint&>(operation);
  state_.clocks.sleep_until(state_.clocks.of(self).local_s);
  finish(self, message);
}

std::vector<PointToPoint*> Messages::pending(std::span<const Request> messages) {
  std::vector<PointToPoint*> all;
  all.reserve(messages.size());
  for (const Request& each : messages)
    all.push_back(each ? &dynamic_cast<PointToPoint&>(*each) : nullptr);
  return all;
}

std::optional<std::size_t> Messages::first_ended(const std::vector<PointToPoint*>& messages) const {
  std::optional<std::size_t> found;
  const double rounding_s = state_.clocks.rounding_now_s();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i] == nullptr || !messages[i]->end_s) continue;
    if (!found || *messages[i]->end_s < *messages[*found]->end_s - rounding_s) found = i;
  }
  return found;
}

std::size_t Messages::wait_any(int self, std::span<const Request> messages) {
  state_.clocks.sleep_until(state_.clocks.of(self).local_s);
  const std::vector<PointToPoint*> all = pending(messages);
  std::optional<std::size_t> found = first_ended(all);
  if (!found) {
    const auto sleeps = std::make_shared<bool>(true);
    for (PointToPoint* const each : all)
      if (each != nullptr) each->sleeps = sleeps;
    state_.clocks.sleep(self);
    sg::this_actor::yield();  // others may end at the same time
    found = first_ended(all);
  }
  finish(self, *all[*found]);
  return *found;
}

std::optional<std::size_t> Messages::test_any(int self, std::span<const Request> messages) {
  state_.clocks.sleep_until(state_.clocks.of(self).local_s);
  const std::vector<PointToPoint*> all = pending(messages);
  const std::optional<std::size_t> found = first_ended(all);
  if (found) finish(self, *all[*found]);
  return found;
}

void Messages::finish(int self, PointToPoint& message) {
  WorkerClock& clock = state_.clocks.of(self);
  if (!message.end_s) {
    message.sleeps = std::make_shared<bool>(true);
    state_.clocks.sleep(self);
  }
  const double now_s = state_.clocks.simgrid_s();
  state_.interference.end_simulated(message.footprint, message.token, now_s);
  const double from_s = clock.local_s;
  const double until_s = std::max(from_s, now_s);
  const double begun_s = std::clamp(*message.begun_s, from_s, until_s);
  state_.show(self, Stream::blocked, "blocked", from_s, begun_s);
  state_.show(self,
              Stream::communication,
              message.label,
              std::min(*message.begun_s, begun_s),
              message.end_s.value_or(until_s),
              message.bytes);
  clock.phases.blocked_s += begun_s - from_s;
  clock.phases.exposed_communication_s += until_s - begun_s;
  clock.local_s = until_s;
  if (message.take_numbers) message.take_numbers();
}

}  // namespace epochcast::sim
