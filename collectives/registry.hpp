// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/fabric.hpp"

namespace epochcast {

/// The ranks of a group, in group order, and the node each one is on (any number per node).
struct GroupShape {
  std::vector<int> node_of_rank;
  NodeLinks links = {};
};

/// One line of `epochcast list collectives`.
struct AllReduceName {
  std::string_view name;
  std::string_view description;
  bool depends_on_nodes = false;  ///< its schedule depends on the nodes of ranks
};

/// Every name that make_all_reduce accepts, in alphabetical order.
[[nodiscard]] std::span<const AllReduceName> all_reduce_names();

/// Throws a UserError with the closest name when --all-reduce got an unknown one.
void check_all_reduce(const std::string& name);

/// The schedule by which this group all-reduces a payload of `bytes`; every rank ends with the sum.
///
/// Throws std::invalid_argument for an unknown name or an empty group.
[[nodiscard]] std::unique_ptr<Schedule> make_all_reduce(std::string_view name,
                                                        const GroupShape& shape,
                                                        std::int64_t bytes);

/// The form (scatter_forms.hpp) of the reduce-scatters and all-gathers of a communicator with this
/// all-reduce: `openmpi` for itself, that of its halves if it consists of them, `direct` if one
/// rank or server adds, `ring` for trees, as in NCCL.
///
/// Throws std::invalid_argument for an unknown name.
[[nodiscard]] std::string_view scatter_form_of(std::string_view all_reduce);

/// The same for a communicator's choice: `direct` if it has servers.
[[nodiscard]] std::string_view scatter_form_of(const AllReduceChoice& choice);

/// The schedule by which this communicator's members all-reduce `bytes` bytes, by its
/// AllReduceChoice.
[[nodiscard]] std::unique_ptr<Schedule> make_all_reduce(const Communicator& among,
                                                        std::span<const WorkerInfo> workers,
                                                        std::int64_t bytes);

/// The schedule by which this communicator's members reduce-scatter `bytes` bytes, in the form of
/// its all-reduce. `counts`: elements of each one's part. Rank r ends with the sum of its part.
[[nodiscard]] std::unique_ptr<Schedule> make_reduce_scatter(const Communicator& among,
                                                            const std::vector<std::int64_t>& counts,
                                                            std::int64_t bytes);

/// The same of an all-gather: rank r begins with its part, and ends with all.
[[nodiscard]] std::unique_ptr<Schedule> make_all_gather(const Communicator& among,
                                                        const std::vector<std::int64_t>& counts,
                                                        std::int64_t bytes);

}  // namespace epochcast
