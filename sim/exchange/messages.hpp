// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <simgrid/s4u/Semaphore.hpp>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectives/schedule.hpp"
#include "sim/exchange/collective_call.hpp"
#include "sim/exchange/point_to_point.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {

/// Messages that go through SimGrid: rounds of collectives, and messages from one worker to
/// another.
class Messages {
 public:
  explicit Messages(RuntimeState& state) : state_(state) {}

  void begin_pass();
  /// Messages sent until now, in all passes.
  [[nodiscard]] std::int64_t sent() const { return sent_; }

  /// Seconds from the start of a collective to its first message, all latencies included, if its
  /// schedule has a transport; else 0.
  [[nodiscard]] double ahead_s(const CollectiveCall& call) const;

  /// Simulates the messages of one round of a member from `start_s` on, and adds its own to
  /// `traffic`. Returns the end of the reduction of received data, which is later than SimGrid's
  /// clock.
  [[nodiscard]] double simulate_round(
      const CollectiveCall& call, int member, const Round& round, double start_s, Traffic& traffic);

  /// Starts a message of which the worker `self` is one end.
  [[nodiscard]] Request start(int self, int from, int to, Payload payload);
  /// Lets the worker `self` wait for one of its messages, or of Parts; its clock advances to the
  /// end.
  void wait(int self, Operation& message);
  /// The same for the first one to end: see Fabric::wait_any().
  [[nodiscard]] std::size_t wait_any(int self, std::span<const Request> messages);
  /// See Fabric::test_any().
  [[nodiscard]] std::optional<std::size_t> test_any(int self, std::span<const Request> messages);

 private:
  /// The route from one rank to another.
  struct Path {
    simgrid::s4u::Mailbox* mailbox = nullptr;
    Cluster::Route route;
    /// Of point-to-point messages: released when the previous one's bytes have been offered, or
    /// requested. Order is kept even if the next one's latency is shorter.
    simgrid::s4u::SemaphorePtr offered, asked;
    /// When point-to-point messages began that only one side has started, in their order.
    std::deque<std::shared_ptr<double>> only_sent, only_asked;
  };

  /// An actor that waits for the latency and then for the bytes of one message after the other.
  struct Carrier {
    simgrid::s4u::SemaphorePtr work;
    std::function<void()> message;
  };
  /// Those of a rank. There are as many as it has had messages at a time.
  struct Carriers {
    std::vector<std::unique_ptr<Carrier>> all;
    std::vector<Carrier*> idle;
  };

  /// Lets a carrier of the rank run `message`.
  void carry(int rank, std::function<void()> message);
  /// The latency of a hop between two members of a call: `least_s`, or the route's if it is larger.
  [[nodiscard]] double hop_s(const CollectiveCall& call, int from, int to, double least_s) const;
  /// These messages, and null for null.
  [[nodiscard]] static std::vector<PointToPoint*> pending(std::span<const Request> messages);
  /// The index of the one that ended first, if any has.
  [[nodiscard]] std::optional<std::size_t> first_ended(
      const std::vector<PointToPoint*>& messages) const;
  /// Ends the wait of the worker `self` for a message that has arrived, at SimGrid's clock or
  /// later.
  void finish(int self, PointToPoint& message);
  [[nodiscard]] Path& path(int from, int to, int channel);
  /// Starts the transfer of a message after its latency: its bytes over the links, at most
  /// `bytes_per_s`.
  [[nodiscard]] static simgrid::s4u::CommPtr send_async(const Path& path,
                                                        void* content,
                                                        double bytes,
                                                        double bytes_per_s);
  /// Waits for `start_s` and the messages' latencies, posts all transfers, and waits for them.
  void transfer(const CollectiveCall& call,
                int member,
                double unit_bytes,
                std::span<const Action> actions,
                double start_s);
  /// The same for many transfers, by several actors.
  void share_out(const CollectiveCall& call,
                 int member,
                 double unit_bytes,
                 std::span<const Action> actions,
                 double start_s);

  RuntimeState& state_;
  std::unordered_map<std::uint64_t, Path> paths_;
  std::deque<Carriers> carriers_;  ///< by rank
  std::int64_t sent_ = 0;
};

}  // namespace epochcast::sim
