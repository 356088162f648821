// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/launch/launch.hpp"
#include "core/fabric.hpp"

namespace epochcast {

/// The number of workers of each node of a platform, up to the last node with workers.
[[nodiscard]] std::vector<int> workers_by_node(std::span<const WorkerInfo> workers);

/// The hosts on which a platform's nodes are emulated: node i on host i, with one rank for each of
/// its workers. Hosts of nodes without workers are left out. Absent when there are fewer hosts than
/// nodes, or a host has too few slots for its node.
[[nodiscard]] std::optional<std::vector<Host>> hosts_in_place(
    const std::vector<Host>& hosts, const std::vector<int>& workers_of_node);

/// The arguments with which mpirun starts ranks on these hosts in this order, independent of its
/// own machine.
[[nodiscard]] std::vector<std::string> words_in_place(const std::vector<Host>& hosts);

/// The hosts of an Open MPI hostfile: "node1 slots=2" in each line; `default_ranks` without a
/// number. None if the file has other syntax, which mpirun may accept.
[[nodiscard]] std::vector<Host> parse_hostfile(const std::string& text, int default_ranks);

/// The hosts of the hostfile in mpirun's environment; none without such a file.
[[nodiscard]] std::vector<Host> hosts_of_environment(int default_ranks);

/// Whether arguments for mpirun place the ranks.
[[nodiscard]] bool place_ranks(const std::string& mpi_arguments);

}  // namespace epochcast
