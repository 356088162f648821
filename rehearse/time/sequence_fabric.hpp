// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/forwarding_fabric.hpp"
#include "rehearse/time/sequence.hpp"

namespace epochcast {

/// Adds a worker's exchanges to its sequence.
///
/// Of an all-reduce, the worker's rounds of the schedule count, which determine the order of its
/// sums, not their bytes: two algorithms or platforms with the same rounds give the same numbers.
class SequenceFabric : public ForwardingFabric {
 public:
  /// References must outlive the fabric.
  SequenceFabric(Fabric& inner, Sequence& sequence)
      : ForwardingFabric(inner), sequence_(sequence) {}

  /// Adds an all-reduce without running it: one that has no part in the job's time.
  void add_untimed_all_reduce(const Payload& payload, double weight, const Communicator& among);

  Request start_all_reduce(Payload payload, double weight, const Communicator& among) override;
  Request start_reduce_scatter(Payload all,
                               Payload mine,
                               double weight,
                               const Communicator& among) override;
  Request start_all_gather(Payload mine, Payload all, const Communicator& among) override;
  void start_send_parts(std::span<const int> to,
                        std::span<const Payload> parts,
                        std::vector<Request>& under_way) override;
  void start_receive_parts(std::span<const int> from,
                           std::span<const Payload> parts,
                           std::vector<Request>& under_way) override;
  Request start_send_part(int to, Payload part) override;
  Request start_receive_part(int from, Payload part) override;
  Request start_send(int to, Payload payload) override;
  Request start_receive(int from, Payload payload) override;
  void wait(const Request& request) override;
  std::size_t wait_any(std::span<const Request> requests) override;
  std::optional<std::size_t> test_any(std::span<const Request> requests) override;
  std::optional<std::int64_t> deal(std::int64_t sequence, std::int64_t count, int owner) override;
  void broadcast(Payload payload, int root, const Communicator& among) override;
  void gather(Payload mine, Payload all, int root, const Communicator& among) override;

 private:
  void add_members(std::string_view action, const Communicator& among);
  void add_sum(double bytes, double weight, const Communicator& among);

  Sequence& sequence_;
  std::map<int, std::string> members_;  ///< checksums of ranks, by communicator
  /// Checksums of the rounds of this worker, by communicator and bytes.
  std::map<std::pair<int, double>, std::string> rounds_;
};

}  // namespace epochcast
