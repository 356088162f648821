// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/forwarding_fabric.hpp"
#include "sim/recording/recording.hpp"

namespace epochcast {

/// A fabric that forwards all calls to another one and records them.
///
/// An action depends on the computing and the waits of its worker before it; collectives also
/// depend on the one before, as they use one stream. Gathering, and all-reduces through servers
/// (push-pull), are recorded as messages. Collectives of one worker, and deal()'s
/// messages of a few bytes, are not recorded. Loops are run
/// in full: repeat() does not call the inner fabric. Throws a UserError when the job takes more
/// than Recording::most_actions.
class RecordingFabric : public ForwardingFabric {
 public:
  /// `recording` is shared by the workers of a job, which must not run at the same time.
  RecordingFabric(Fabric& inner, Recording& recording);

  void compute(double seconds, std::string_view what) override;

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
  void broadcast(Payload payload, int root, const Communicator& among) override;
  void gather(Payload mine, Payload all, int root, const Communicator& among) override;
  SharedNumbers all_gather_numbers(std::span<const double> mine,
                                   const Communicator& among) override;
  void barrier(const Communicator& among) override;

  void repeat(const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body) override;

  /// Loops are run in full.
  void announce_change() override {}

 private:
  class RecordedOperation;
  using Indices = std::vector<std::uint32_t>;

  std::vector<RecordedAction>& actions();
  std::uint32_t add(RecordedAction action);
  std::uint32_t add_collective(RecordedKind kind, double bytes, const Communicator& among);
  std::uint32_t add_message(RecordedKind kind, int peer, double bytes, Indices after);
  Indices add_parts(RecordedKind kind, std::span<const int> peers, std::span<const Payload> parts);
  static void add_operations(const std::vector<Request>& inner,
                             Indices started,
                             std::vector<Request>& under_way);
  Indices add_rounds(double bytes, const Communicator& among);
  void finish(const Indices& waited);
  [[nodiscard]] static std::vector<Request> inner_of(std::span<const Request> requests);
  void note_wait(const RecordedOperation& operation);
  void run_collective(const Indices& started, const std::function<void()>& run);
  int group_of(const Communicator& among);

  Recording& recording_;
  Indices done_;                          ///< dependencies of the worker's next action
  Indices stream_;                        ///< additional dependencies of its next collective
  std::map<int, int> groups_;             ///< indices in the recording, by communicator
  std::map<int, std::int64_t> sent_;      ///< messages, by receiver
  std::map<int, std::int64_t> received_;  ///< by sender
};

}  // namespace epochcast
