// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/measure/message_probe.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {

/// One kind of message at one size. `sample` takes one sample and returns the seconds that this
/// rank saw; empty on ranks that do not take part.
struct MessagePoint {
  MessageCost cost;
  std::function<double()> sample;

  /// Kind, scope and size, for people.
  [[nodiscard]] std::string text() const;
};

class SplitComm;

/// What probe_messages() measures, and how a sample of each is taken. Made on all ranks of
/// MPI_COMM_WORLD at once; samples of a point are taken by all that take part in it.
class MessagePoints {
 public:
  /// Keeps the settings. Collective.
  MessagePoints(const MessageSettings& settings, const std::vector<int>& node_of_rank);
  ~MessagePoints();
  MessagePoints(const MessagePoints&) = delete;
  MessagePoints& operator=(const MessagePoints&) = delete;

  [[nodiscard]] std::vector<MessagePoint>& points() { return points_; }
  [[nodiscard]] int rank() const { return fabric_.rank(); }

 private:
  using Sample = std::function<double()>;

  void add_pair(const std::optional<RankPair>& pair, const std::string& scope);
  void add_group(const std::string& scope, const Communicator& among);
  void add(MessageCost cost, Sample sample);
  /// The sizes, in floats that fit in; each once.
  [[nodiscard]] std::vector<std::int64_t> whole_floats() const;

  double ping_pong(const SplitComm& both, std::int64_t bytes);
  /// With two ranks, both neighbours are the other one: opposite messages.
  double ring_step(const SplitComm& group, std::int64_t bytes);
  /// How long after the last one has come everybody knows, where the others have been waiting.
  /// Ranks take turns in being late.
  double late_barrier(const SplitComm& group);
  /// Everybody adds one buffer to another.
  double reduce(std::int64_t bytes);
  double all_reduce(const Communicator& among, std::int64_t bytes);

  const MessageSettings& settings_;
  MpiFabric fabric_;
  std::vector<char> outgoing_;
  std::vector<char> incoming_;
  std::vector<float> numbers_;
  std::vector<float> addend_;
  int barriers_ = 0;
  std::vector<std::unique_ptr<SplitComm>> comms_;
  std::vector<MessagePoint> points_;
};

/// Seconds of a clock that never goes back.
[[nodiscard]] double clock_s();

}  // namespace epochcast::real
