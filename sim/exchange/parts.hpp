// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <cstdint>
#include <map>
#include <memory>
#include <simgrid/s4u/Semaphore.hpp>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/exchange/fair_rates.hpp"
#include "sim/exchange/point_to_point.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {

/// Parts of an array that a worker sends to several others, or receives from them, at once: to and
/// from parameter servers. They advance together, as one flow over the links of all of their
/// routes, at the rate of the slowest.
///
/// SimGrid would have as many flows as workers times servers. Flows share links as SimGrid's do,
/// but not with messages in SimGrid itself.
class Parts {
 public:
  explicit Parts(RuntimeState& state) : state_(state) {}

  void begin_pass();

  /// Starts the parts of the worker `self` to or from these others.
  [[nodiscard]] Request start_all(int self,
                                  bool is_send,
                                  std::span<const int> peers,
                                  std::span<const Payload> parts);
  /// Starts the other end of one of them, at the worker `self`.
  [[nodiscard]] Request start_one(int self, bool is_send, int peer, Payload part);

 private:
  struct Paths;
  struct Bundle;
  struct One;
  /// Messages from one rank to another that only one end has started, in their order.
  struct Waiting {
    std::vector<std::shared_ptr<One>> ones;
    std::vector<std::pair<std::shared_ptr<Bundle>, std::size_t>> places;
  };

  [[nodiscard]] Waiting& waiting(int self, bool is_send, int peer);
  [[nodiscard]] const Paths& paths(int self, bool is_send, std::span<const int> peers);
  [[nodiscard]] std::size_t index_of(const simgrid::s4u::Link* link);
  void join(const std::shared_ptr<Bundle>& bundle, std::size_t place, std::shared_ptr<One> one);
  /// All ends are there.
  void begin(const std::shared_ptr<Bundle>& bundle);
  /// An actor that moves all bundles on.
  void move();
  /// Moves their bytes up to SimGrid's clock, and ends those that have arrived.
  void advance();
  /// Seconds until the next one starts or ends; infinite: none.
  [[nodiscard]] double until_next_s() const;

  RuntimeState& state_;
  std::unordered_map<std::uint64_t, Waiting> waiting_;
  std::map<std::pair<int, bool>, std::vector<std::shared_ptr<const Paths>>> paths_;
  std::unordered_map<const simgrid::s4u::Link*, std::size_t> links_;
  std::vector<double> capacities_;  ///< of links, bytes/s
  std::vector<std::shared_ptr<Bundle>> under_way_;
  double moved_until_s_ = 0;
  simgrid::s4u::SemaphorePtr work_;
  bool is_awake_ = false;  ///< the actor: it will look at all bundles
};

}  // namespace epochcast::sim
