// SPDX-License-Identifier: Apache-2.0
#include "collectives/registry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "collectives/binary_tree.hpp"
#include "collectives/checks.hpp"
#include "collectives/double_binary_tree.hpp"
#include "collectives/hierarchical.hpp"
#include "collectives/linear.hpp"
#include "collectives/multitree.hpp"
#include "collectives/nccl.hpp"
#include "collectives/openmpi.hpp"
#include "collectives/push_pull.hpp"
#include "collectives/rabenseifner.hpp"
#include "collectives/ranks_by_node.hpp"
#include "collectives/recursive_doubling.hpp"
#include "collectives/ring.hpp"
#include "collectives/scatter_forms.hpp"
#include "collectives/segmented_ring.hpp"

namespace epochcast {
namespace {

using Make = std::unique_ptr<Schedule> (*)(const GroupShape& shape, int ranks, std::int64_t bytes);

struct Entry {
  AllReduceName name;
  Make make;
  std::string_view scatter_form = "ring";  ///< of its reduce-scatters and all-gathers
};

template <typename OneSchedule>
std::unique_ptr<Schedule> by_ranks(const GroupShape& /*shape*/, int ranks, std::int64_t /*bytes*/) {
  return std::make_unique<OneSchedule>(ranks);
}

std::unique_ptr<Schedule> double_binary_tree(const GroupShape&, int ranks, std::int64_t bytes) {
  return std::make_unique<DoubleBinaryTree>(ranks, DoubleBinaryTree::segments_for(bytes));
}

std::unique_ptr<Schedule> hierarchical(const GroupShape& shape, int, std::int64_t) {
  return std::make_unique<Hierarchical>(shape.node_of_rank);
}

std::unique_ptr<Schedule> multitree(const GroupShape& shape, int, std::int64_t) {
  return std::make_unique<MultiTree>(shape.node_of_rank);
}

std::unique_ptr<Schedule> nccl(const GroupShape& shape, int, std::int64_t bytes) {
  return make_nccl_all_reduce(shape.node_of_rank, shape.links, bytes);
}

std::unique_ptr<Schedule> openmpi(const GroupShape&, int ranks, std::int64_t bytes) {
  return make_openmpi_all_reduce(ranks, bytes);
}

/// Workers sum inside nodes before they push, unless all ranks are on one node: there nothing
/// remains to sum between nodes, and each worker pushes to the CPUs on its own.
std::unique_ptr<Schedule> push_pull(std::vector<int> node_of_rank,
                                    const AllReduceChoice& choice,
                                    std::int64_t bytes) {
  const std::int64_t piece = std::max<std::int64_t>(1, std::llround(choice.partition_bytes));
  const std::int64_t partitions = PushPull::partitions_for(bytes, piece);
  const int workers = static_cast<int>(node_of_rank.size()) - choice.servers;
  if (RanksByNode(node_of_rank).nodes() == 1)
    return std::make_unique<PushPull>(workers, choice.servers, partitions);
  node_of_rank.resize(static_cast<std::size_t>(workers));
  return std::make_unique<PushPull>(node_of_rank, choice.servers, partitions);
}

std::unique_ptr<Schedule> segmented_ring(const GroupShape&, int ranks, std::int64_t bytes) {
  return std::make_unique<SegmentedRing>(
      ranks, SegmentedRing::phases_for(ranks, bytes, SegmentedRing::kSegmentBytes));
}

constexpr Entry kEntries[] = {
    {{"binary-tree", "reduce and broadcast the whole payload along a binary tree"},
     by_ranks<BinaryTree>},
    {{"double-binary-tree", "two complementary trees, half the payload each, in 256 KiB segments"},
     double_binary_tree},
    {{"hierarchical",
      "reduce-scatter in the node, all-reduce across nodes, all-gather in the node",
      true},
     hierarchical},
    {{"linear", "rank 0 receives from everyone in turn and sends the sum to all"},
     by_ranks<Linear>,
     "direct"},
    {{"multitree", "a tree from every rank, grown along free links in and between nodes", true},
     multitree},
    {{"nccl", "what NCCL picks for this group and size: a ring, or a tree of nodes", true}, nccl},
    {{"openmpi", "what Open MPI 4.1 picks for this number of ranks and bytes"}, openmpi, "openmpi"},
    {{"rabenseifner", "recursive halving reduce-scatter, recursive doubling all-gather"},
     by_ranks<Rabenseifner>,
     "recursive"},
    {{"recursive-doubling", "partners at doubling distances exchange the whole payload"},
     by_ranks<RecursiveDoubling>,
     "recursive"},
    {{"ring", "reduce-scatter and all-gather round a ring, 1/P of the payload at a time"},
     by_ranks<Ring>},
    {{"segmented-ring", "ring whose reduce-scatter moves 1 MiB segments"}, segmented_ring},
};

constexpr auto kNames = [] {
  std::array<AllReduceName, std::size(kEntries)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kEntries[i].name;
  return names;
}();

const Entry& entry_of(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name.name == name) return entry;
  }
  throw std::invalid_argument("unknown all-reduce algorithm \"" + std::string(name) + "\"");
}

}  // namespace

std::span<const AllReduceName> all_reduce_names() { return kNames; }

std::unique_ptr<Schedule> make_all_reduce(std::string_view name,
                                          const GroupShape& shape,
                                          std::int64_t bytes) {
  const int ranks = checked_ranks(static_cast<int>(shape.node_of_rank.size()));
  return entry_of(name).make(shape, ranks, bytes);
}

std::string_view scatter_form_of(std::string_view all_reduce) {
  return entry_of(all_reduce).scatter_form;
}

std::string_view scatter_form_of(const AllReduceChoice& choice) {
  return choice.servers > 0 ? "direct" : scatter_form_of(choice.algorithm);
}

void check_all_reduce(const std::string& name) {
  std::vector<std::string> known;
  for (const AllReduceName& each : all_reduce_names()) known.emplace_back(each.name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UserError("--all-reduce: " + unknown_name("all-reduce algorithm", name, known));
}

std::unique_ptr<Schedule> make_all_reduce(const Communicator& among,
                                          std::span<const WorkerInfo> workers,
                                          std::int64_t bytes) {
  const AllReduceChoice& choice = among.all_reduce;
  GroupShape shape = {.node_of_rank = {}, .links = choice.links};
  for (const int rank : among.ranks)
    shape.node_of_rank.push_back(workers[static_cast<std::size_t>(rank)].node);
  if (choice.servers > 0) return push_pull(std::move(shape.node_of_rank), choice, bytes);
  return make_all_reduce(choice.algorithm, shape, bytes);
}

std::unique_ptr<Schedule> make_reduce_scatter(const Communicator& among,
                                              const std::vector<std::int64_t>& counts,
                                              std::int64_t bytes) {
  return make_reduce_scatter(scatter_form_of(among.all_reduce), Parts(counts), bytes);
}

std::unique_ptr<Schedule> make_all_gather(const Communicator& among,
                                          const std::vector<std::int64_t>& counts,
                                          std::int64_t bytes) {
  return make_all_gather(scatter_form_of(among.all_reduce), Parts(counts), bytes);
}

}  // namespace epochcast
