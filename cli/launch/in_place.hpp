// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/launch/launch.hpp"
#include "core/fabric.hpp"

namespace epochcast {

/// How many workers each node of a platform has, up to the last node that has any.
[[nodiscard]] std::vector<int> workers_by_node(std::span<const WorkerInfo> workers);

/// Where the platform's nodes are emulated, each in its place: node i on host i, with as many ranks
/// as it has workers. Hosts of nodes without workers are left out. Nothing when there are fewer
/// hosts than nodes, or a host has no room for its node.
[[nodiscard]] std::optional<std::vector<Host>> hosts_in_place(
    const std::vector<Host>& hosts, const std::vector<int>& workers_of_node);

/// The words that let mpirun start ranks on these hosts in this order, whatever machine it runs on.
[[nodiscard]] std::vector<std::string> words_in_place(const std::vector<Host>& hosts);

/// What an Open MPI hostfile says: "node1 slots=2" in each line; `default_ranks` without a number.
/// None when there is anything else in it, which mpirun may understand.
[[nodiscard]] std::vector<Host> parse_hostfile(const std::string& text, int default_ranks);

/// The hosts that mpirun learns from the environment's hostfile; none when there is no such file.
[[nodiscard]] std::vector<Host> hosts_of_environment(int default_ranks);

/// Whether words for mpirun say themselves where ranks are to be.
[[nodiscard]] bool place_ranks(const std::string& mpi_arguments);

}  // namespace epochcast
