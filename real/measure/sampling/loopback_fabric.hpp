// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "core/fabric.hpp"

namespace epochcast::real {

/// The fabric of one worker whose only partner is made up: exchanges end at once, and the partner
/// sends what this worker sends. For work on exchanged numbers without their exchange.
class LoopbackFabric : public Fabric {
 public:
  LoopbackFabric();

  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] std::span<const WorkerInfo> workers() const override { return workers_; }
  [[nodiscard]] const Communicator& world() const override { return world_; }
  [[nodiscard]] const Communicator& node() const override { return world_; }
  const Communicator& communicator(std::vector<int>, AllReduceChoice) override { return world_; }

  [[nodiscard]] double now_s() const override { return 0; }
  void compute(double, std::string_view) override {}
  /// Leaves the payload, which would grow with each exchange.
  [[nodiscard]] Request start_all_reduce(Payload, double, const Communicator&) override;
  [[nodiscard]] Request start_reduce_scatter(Payload all,
                                             Payload mine,
                                             double weight,
                                             const Communicator& among) override;
  [[nodiscard]] Request start_all_gather(Payload mine,
                                         Payload all,
                                         const Communicator& among) override;
  [[nodiscard]] Request start_send(int to, Payload payload) override;
  [[nodiscard]] Request start_receive(int from, Payload payload) override;
  /// A message that was received is the last one that was sent, as far as that goes.
  void wait(const Request& request) override;
  [[nodiscard]] std::size_t wait_any(std::span<const Request> requests) override;
  [[nodiscard]] std::optional<std::size_t> test_any(std::span<const Request> requests) override;
  [[nodiscard]] std::optional<std::int64_t> deal(std::int64_t sequence,
                                                 std::int64_t count,
                                                 int owner) override;
  void broadcast(Payload, int, const Communicator&) override {}
  void gather(Payload, Payload, int, const Communicator&) override {}
  [[nodiscard]] SharedNumbers all_gather_numbers(std::span<const double> mine,
                                                 const Communicator& among) override;
  void barrier(const Communicator&) override {}
  void repeat(const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body) override;
  [[nodiscard]] PhaseTimes phases() const override { return {}; }
  [[nodiscard]] Traffic traffic() const override { return {}; }

 private:
  std::array<WorkerInfo, 2> workers_;
  Communicator world_;
  Payload sent_;
  std::map<std::int64_t, std::int64_t> dealt_;  ///< numbers, by sequence
};

}  // namespace epochcast::real
