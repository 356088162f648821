// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <simgrid/s4u.hpp>

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

/// From a worker to others, or back.
struct Parts::Paths {
  std::vector<int> peers;
  std::vector<Cluster::Route> routes;  ///< by peer
  std::vector<LinkUse> uses;           ///< by a byte of every part
  double most = kUnbounded;            ///< bytes/s of a part, by links that each message has alone
  Footprint footprint;
};

/// One end of a part, of a worker that has no others.
struct Parts::One {
  One(int worker, bool sends) : operation(worker, sends) {}

  PointToPoint operation;
  Payload part;
  std::vector<std::byte> numbers;  ///< in transfer
};

struct Parts::Bundle {
  Bundle(int worker, bool sends) : operation(worker, sends) {}

  PointToPoint operation;
  const Paths* paths = nullptr;
  std::vector<Payload> parts;
  std::vector<std::vector<std::byte>> numbers;  ///< in transfer, if it sends
  std::vector<std::shared_ptr<One>> ones;       ///< the other ends, by peer
  std::size_t missing = 0;
  Flow flow;
  double begin_s = 0;  ///< after latencies
  double left = 0;     ///< bytes of each part
  bool is_flowing = false;
};

void Parts::begin_pass() {
  waiting_.clear();
  under_way_.clear();
  moved_until_s_ = 0;
}

Parts::Waiting& Parts::waiting(int self, bool is_send, int peer) {
  const auto from = static_cast<std::uint64_t>(is_send ? self : peer);
  const auto to = static_cast<std::uint64_t>(is_send ? peer : self);
  return waiting_[(from << 32) | to];
}

std::size_t Parts::index_of(const sg::Link* link) {
  const auto [place, is_new] = links_.try_emplace(link, capacities_.size());
  if (is_new) capacities_.push_back(link->get_bandwidth());
  return place->second;
}

const Parts::Paths& Parts::paths(int self, bool is_send, std::span<const int> peers) {
  auto& known = paths_[{self, is_send}];
  for (const auto& each : known)
    if (std::ranges::equal(each->peers, peers)) return *each;
  auto made = std::make_shared<Paths>();
  made->peers.assign(peers.begin(), peers.end());
  std::map<std::size_t, double> weights;
  for (const int peer : peers) {
    const int from = is_send ? self : peer;
    const int to = is_send ? peer : self;
    made->routes.push_back(state_.layout.route(from, to));
    for (const sg::Link* link : state_.layout.links(from, to)) {
      if (link->get_sharing_policy() == sg::Link::SharingPolicy::FATPIPE) {
        made->most = std::min(made->most, link->get_bandwidth());
      } else {
        weights[index_of(link)] += 1;
      }
    }
  }
  for (const auto& [link, weight] : weights) made->uses.push_back({.link = link, .weight = weight});
  std::vector<int> ranks(peers.begin(), peers.end());
  ranks.push_back(self);
  made->footprint = state_.layout.footprint(ranks);
  known.push_back(std::move(made));
  return *known.back();
}

Request Parts::start_all(int self,
                         bool is_send,
                         std::span<const int> peers,
                         std::span<const Payload> parts) {
  WorkerClock& clock = state_.clocks.of(self);
  state_.clocks.sleep_until(clock.local_s);
  const auto bundle = std::make_shared<Bundle>(self, is_send);
  bundle->paths = &paths(self, is_send, peers);
  bundle->parts.assign(parts.begin(), parts.end());
  bundle->ones.resize(peers.size());
  bundle->missing = peers.size();
  PointToPoint& operation = bundle->operation;
  if (state_.pass.timeline != nullptr) {
    const std::string others = peers.size() == 1 ? std::to_string(peers.front())
                                                 : std::to_string(peers.size()) + " servers";
    operation.label = (is_send ? "send to " : "receive from ") + others;
  }
  for (const Payload& part : parts) operation.bytes += part.bytes();
  operation.footprint = bundle->paths->footprint;
  operation.token = state_.interference.begin_simulated(operation.footprint, clock.local_s);
  for (std::size_t i = 0; i < peers.size() && is_send; ++i) {
    bundle->numbers.emplace_back(parts[i].data.begin(), parts[i].data.end());
    clock.traffic += state_.layout.traffic(self, peers[i], parts[i].bytes());
  }
  if (!is_send)
    operation.take_numbers = [bundle = bundle.get()] {
      for (std::size_t i = 0; i < bundle->parts.size(); ++i)
        std::ranges::copy(bundle->ones[i]->numbers, bundle->parts[i].data.begin());
    };
  for (std::size_t i = 0; i < peers.size(); ++i) {
    Waiting& others = waiting(self, is_send, peers[i]);
    if (others.ones.empty()) {
      others.places.emplace_back(bundle, i);
    } else {
      join(bundle, i, others.ones.front());
      others.ones.erase(others.ones.begin());
    }
  }
  // The request owns its numbers, too.
  return {bundle, &bundle->operation};
}

Request Parts::start_one(int self, bool is_send, int peer, Payload part) {
  WorkerClock& clock = state_.clocks.of(self);
  state_.clocks.sleep_until(clock.local_s);
  const auto one = std::make_shared<One>(self, is_send);
  one->part = part;
  if (state_.pass.timeline != nullptr)
    one->operation.label = (is_send ? "send to " : "receive from ") + std::to_string(peer);
  one->operation.bytes = part.bytes();
  if (is_send) {
    one->numbers.assign(part.data.begin(), part.data.end());
    clock.traffic += state_.layout.traffic(self, peer, part.bytes());
  } else {
    one->operation.take_numbers = [one = one.get()] {
      std::ranges::copy(one->numbers, one->part.data.begin());
    };
  }
  Waiting& others = waiting(self, is_send, peer);
  if (others.places.empty()) {
    others.ones.push_back(one);
  } else {
    join(others.places.front().first, others.places.front().second, one);
    others.places.erase(others.places.begin());
  }
  return {one, &one->operation};
}

void Parts::join(const std::shared_ptr<Bundle>& bundle,
                 std::size_t place,
                 std::shared_ptr<One> one) {
  if (bundle->operation.is_send) one->numbers = std::move(bundle->numbers[place]);
  bundle->ones[place] = std::move(one);
  if (--bundle->missing == 0) begin(bundle);
}

void Parts::begin(const std::shared_ptr<Bundle>& bundle) {
  const auto begun_s = std::make_shared<double>(state_.clocks.simgrid_s());
  bundle->operation.begun_s = begun_s;
  for (const auto& one : bundle->ones) one->operation.begun_s = begun_s;
  bundle->flow = {.uses = bundle->paths->uses, .most = bundle->paths->most};
  double latency_s = 0;
  for (std::size_t i = 0; i < bundle->parts.size(); ++i) {
    const Cluster::Route& route = bundle->paths->routes[i];
    const double bytes = bundle->parts[i].bytes();
    latency_s = std::max(latency_s, route.latency_for_s(bytes));
    bundle->flow.most = std::min(bundle->flow.most, route.bytes_per_s(bytes));
    bundle->left = std::max(bundle->left, bytes);
  }
  bundle->begin_s = *begun_s + latency_s;
  under_way_.push_back(bundle);
  if (work_ == nullptr) {
    work_ = sg::Semaphore::create(0);
    sg::Actor::create("parts", state_.layout.host(0), [this] { move(); })->daemonize();
  }
  if (!std::exchange(is_awake_, true)) work_->release();
}

void Parts::move() {
  while (true) {
    is_awake_ = false;
    advance();
    const double wait_s = until_next_s();
    if (wait_s == kUnbounded) {
      work_->acquire();
    } else {
      static_cast<void>(work_->acquire_timeout(wait_s));
    }
  }
}

void Parts::advance() {
  const double now_s = state_.clocks.simgrid_s();
  const double rounding_s = state_.clocks.rounding_now_s();
  const double passed_s = now_s - moved_until_s_;
  moved_until_s_ = now_s;
  bool has_changed = false;
  const auto ended = [&](const std::shared_ptr<Bundle>& bundle) {
    if (!bundle->is_flowing) {
      bundle->is_flowing = bundle->begin_s <= now_s + rounding_s;
      has_changed = has_changed || bundle->is_flowing;
      return bundle->is_flowing && bundle->left == 0;
    }
    if (std::isinf(bundle->flow.rate)) return true;
    bundle->left -= passed_s * bundle->flow.rate;
    return bundle->left <= bundle->flow.rate * rounding_s;
  };
  const auto first = std::stable_partition(
      under_way_.begin(), under_way_.end(), [&](const auto& bundle) { return !ended(bundle); });
  const std::vector<std::shared_ptr<Bundle>> done(first, under_way_.end());
  under_way_.erase(first, under_way_.end());
  if (has_changed || !done.empty()) {
    std::vector<Flow*> flows;
    for (const auto& bundle : under_way_)
      if (bundle->is_flowing) flows.push_back(&bundle->flow);
    share_links(flows, capacities_);
  }
  for (const auto& bundle : done) {
    bundle->operation.end(state_.clocks);
    for (const auto& one : bundle->ones) one->operation.end(state_.clocks);
  }
}

double Parts::until_next_s() const {
  const double now_s = state_.clocks.simgrid_s();
  double least_s = kUnbounded;
  for (const auto& bundle : under_way_)
    least_s = std::min(
        least_s, bundle->is_flowing ? bundle->left / bundle->flow.rate : bundle->begin_s - now_s);
  return least_s;
}

}  // namespace epochcast::sim
