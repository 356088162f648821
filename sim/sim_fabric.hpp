// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/fabric.hpp"
#include "sim/exchange/collectives.hpp"
#include "sim/exchange/contention.hpp"
#include "sim/exchange/deals.hpp"
#include "sim/exchange/messages.hpp"
#include "sim/exchange/parts.hpp"
#include "sim/exchange/runtime_state.hpp"
#include "sim/loops/loops.hpp"

namespace epochcast::sim {

/// The parts of a Runtime that its workers use. All must outlive a SimFabric.
struct RuntimeParts {
  RuntimeState& state;
  Messages& messages;
  Parts& parts;
  Contention& contention;
  Collectives& collectives;
  Deals& deals;
  Loops& loops;
};

/// The fabric of one worker in a simulated Runtime.
class SimFabric : public Fabric {
 public:
  SimFabric(const RuntimeParts& parts, int rank) : parts_(parts), rank_(rank) {}

  int rank() const override { return rank_; }
  std::span<const WorkerInfo> workers() const override;
  const Communicator& world() const override;
  const Communicator& node() const override;
  const Communicator& communicator(std::vector<int> ranks, AllReduceChoice all_reduce) override;

  double now_s() const override { return clock().now_s(); }
  double omitted_s() const override { return clock().omitted_s; }
  void compute(double seconds, std::string_view what) override;

  Request start_all_reduce(Payload payload, double weight, const Communicator& among) override;
  Request start_reduce_scatter(Payload all,
                               Payload mine,
                               double weight,
                               const Communicator& among) override;
  Request start_all_gather(Payload mine, Payload all, const Communicator& among) override;
  Request start_send(int to, Payload payload) override;
  Request start_receive(int from, Payload payload) override;
  void start_send_parts(std::span<const int> to,
                        std::span<const Payload> parts,
                        std::vector<Request>& under_way) override;
  void start_receive_parts(std::span<const int> from,
                           std::span<const Payload> parts,
                           std::vector<Request>& under_way) override;
  Request start_send_part(int to, Payload part) override;
  Request start_receive_part(int from, Payload part) override;
  void wait(const Request& request) override;
  std::size_t wait_any(std::span<const Request> requests) override;
  std::optional<std::size_t> test_any(std::span<const Request> requests) override;
  std::optional<std::int64_t> deal(std::int64_t sequence, std::int64_t count, int owner) override;

  void broadcast(Payload payload, int root, const Communicator& among) override;
  void gather(Payload mine, Payload all, int root, const Communicator& among) override;
  SharedNumbers all_gather_numbers(std::span<const double> mine,
                                   const Communicator& among) override;
  void barrier(const Communicator& among) override;

  void repeat(const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body) override;

  void announce_change() override { parts_.loops.announce_change(rank_); }

  PhaseTimes phases() const override { return clock().phases; }
  Traffic traffic() const override { return clock().traffic; }

 private:
  class CollectiveOperation;

  /// Whether every part is a message of SimGrid.
  [[nodiscard]] bool divides_parts() const {
    return parts_.state.options.acceleration == Acceleration::none;
  }
  void start_parts(bool is_send,
                   std::span<const int> peers,
                   std::span<const Payload> parts,
                   std::vector<Request>& under_way);
  WorkerClock& clock() const { return parts_.state.clocks.of(rank_); }
  /// Says what kind of collective it is, at the first member.
  void begin(CollectiveCall& call,
             CollectiveCall::Kind kind,
             const char* name,
             const Communicator& among) const;
  void run_collective(const Communicator& among,
                      const std::function<void(CollectiveCall&, int)>& enter);
  std::shared_ptr<CollectiveOperation> enter_collective(
      const Communicator& among, const std::function<void(CollectiveCall&, int)>& enter);

  RuntimeParts parts_;
  int rank_;
};

}  // namespace epochcast::sim
