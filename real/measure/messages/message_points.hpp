// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/measure/messages/message_probe.hpp"
#include "real/measure/messages/message_samples.hpp"
#include "real/measure/messages/split_comm.hpp"
#include "real/measure/sampling/sampling.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {

/// Messages of one size that are measured at the same time: one kind, or one kind in several groups
/// of ranks, each with its own cost. `sample` takes one sample and returns this rank's seconds;
/// empty on ranks that do not take part.
struct MessagePoint {
  std::vector<MessageCost> costs;
  std::size_t own = 0;  ///< index in `costs` for this rank's samples
  SamplingRule rule;
  std::function<double()> sample;

  /// Kind, ranks and size, for display.
  [[nodiscard]] std::string text() const;
};

/// The points of probe_messages(), with the sampling function of each. Made on all ranks of
/// MPI_COMM_WORLD at once; samples of a point are taken by all its ranks.
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
  /// Adds the points that depend on the bandwidth of each node's link, the same numbers on all
  /// ranks: each node's first rank with those of all others. Collective; must not be called if all
  /// are known.
  void add_hubs(const std::vector<double>& bytes_per_s);
  /// The longest time of the points after that one by their rules, including those not yet known.
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
  /// The sizes, rounded down to whole floats, without duplicates.
  [[nodiscard]] std::vector<std::int64_t> whole_floats() const;
  /// For points of links: with less time, since their number grows with the nodes,
  [[nodiscard]] SamplingRule links_rule() const;
  /// and with messages large enough to show the bandwidth.
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
