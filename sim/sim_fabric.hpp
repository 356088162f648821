// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/exchange/runtime.hpp"

namespace epochcast::sim {

/// The fabric of one worker in a simulated Runtime.
class SimFabric : public Fabric {
 public:
  SimFabric(Runtime& runtime, int rank) : runtime_(runtime), rank_(rank) {}

  /// The communicator of this worker's node.
  void set_node(int id) { node_ = id; }

  int rank() const override { return rank_; }
  std::span<const WorkerInfo> workers() const override;
  const Communicator& world() const override;
  const Communicator& node() const override;
  const Communicator& communicator(std::vector<int> ranks, AllReduceChoice all_reduce) override;

  double now_s() const override;
  void compute(double seconds, std::string_view what) override;

  Request start_all_reduce(Payload payload, double weight, const Communicator& among) override;
  Request start_send(int to, Payload payload) override;
  Request start_receive(int from, Payload payload) override;
  void wait(const Request& request) override;

  void broadcast(Payload payload, int root, const Communicator& among) override;
  void gather(Payload mine, Payload all, int root, const Communicator& among) override;
  SharedNumbers all_gather(std::span<const double> mine, const Communicator& among) override;
  void barrier(const Communicator& among) override;

  void repeat(const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body) override;

  void announce_change() override;

  PhaseTimes phases() const override;
  Traffic traffic() const override;

 private:
  class CollectiveOperation;
  class MessageOperation;

  Runtime::Rank& self() const;
  Meters meters() const;
  void wait_for(CollectiveCall& call, int member);
  /// Adds blocked time to the timeline, if there is one, in seconds of this worker's clock without
  /// skipped time.
  void show_blocked(double start_s, double end_s);
  void run_collective(const Communicator& among,
                      const std::function<void(CollectiveCall&, int)>& enter);
  std::shared_ptr<CollectiveOperation> enter_collective(
      const Communicator& among, const std::function<void(CollectiveCall&, int)>& enter);
  Request start_message(int from, int to, Payload payload);
  LoopWatch::Rule rule_for(const Communicator& among, std::int64_t sequence, std::int64_t count);
  /// Whether iterations of a loop among these may be omitted now: no other ranks use their links.
  [[nodiscard]] bool may_claim_links(const Runtime::CommunicatorState& state) const;
  void claim_links(const Runtime::CommunicatorState& state, const LoopWatch& watch);
  void skip(const Runtime::CommunicatorState& state, const Meters& omitted_meters);
  void wait_for_decision(const Runtime::CommunicatorState& state, LoopWatch& watch, bool is_last);

  Runtime& runtime_;
  int rank_;
  int node_ = 0;
};

}  // namespace epochcast::sim
