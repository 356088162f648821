// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/measure/message_probe.hpp"
#include "real/measure/message_samples.hpp"
#include "real/measure/sampling.hpp"
#include "real/measure/split_comm.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {

/// Messages of one size that are measured at the same time: one kind, or one kind in several groups
/// of ranks, each with a cost of its own. `sample` takes one sample and returns the seconds that
/// this rank saw; empty on ranks that do not take part.
struct MessagePoint {
  std::vector<MessageCost> costs;
  std::size_t own = 0;  ///< the one of `costs` that this rank's samples belong to
  SamplingRule rule;
  std::function<double()> sample;

  /// Kind, between whom and size, for people.
  [[nodiscard]] std::string text() const;
};

/// What probe_messages() measures, and how a sample of each is taken. Made on all ranks of
/// MPI_COMM_WORLD at once; samples of a point are taken by all that take part in it.
class MessagePoints {
 public:
  /// Keeps the settings. Collective. On three nodes or more, the points end with pairs of nodes,
  /// and add_hubs() adds the rest.
  MessagePoints(const MessageSettings& settings, const std::vector<int>& node_of_rank);
  MessagePoints(const MessagePoints&) = delete;
  MessagePoints& operator=(const MessagePoints&) = delete;

  [[nodiscard]] std::vector<MessagePoint>& points() { return points_; }
  [[nodiscard]] int rank() const { return fabric_.rank(); }
  [[nodiscard]] int node_count() const { return static_cast<int>(first_rank_of_node_.size()); }

  /// Whether all points are known.
  [[nodiscard]] bool is_complete() const { return are_hubs_known_; }
  /// Adds the points that follow from the bandwidth of each node's link, the same numbers on all
  /// ranks: each node's first rank with those of all others. Collective; not if all are known.
  void add_hubs(const std::vector<double>& bytes_per_s);
  /// The most that the points after that one may take by their rules, those not yet known included.
  [[nodiscard]] double most_s_after(std::size_t point) const;

 private:
  using Sample = std::function<double()>;

  void add_pair(const std::optional<RankPair>& pair, const std::string& scope);
  void add_group(const std::string& scope, const Communicator& among);
  /// Opposite messages between the first ranks of nodes.
  void add_node_pairs();
  void add_steps(MessageCost cost, const SplitComm& group);
  void add(MessageCost cost, Sample sample);
  const SplitComm& split(bool is_member, int colour);
  /// The sizes, in floats that fit in; each once.
  [[nodiscard]] std::vector<std::int64_t> whole_floats() const;
  /// For what tells links apart: with less time, for there are points for every node,
  [[nodiscard]] SamplingRule links_rule() const;
  /// and with messages that are large enough to.
  [[nodiscard]] std::int64_t large_of_links() const;
  [[nodiscard]] bool is_first_of_node() const;
  [[nodiscard]] int own_node() const;

  const MessageSettings& settings_;
  MpiFabric fabric_;
  MessageSamples samples_;
  std::vector<int> first_rank_of_node_;
  std::vector<std::unique_ptr<SplitComm>> comms_;
  std::vector<MessagePoint> points_;
  bool are_hubs_known_ = true;
};

}  // namespace epochcast::real
