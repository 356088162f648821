// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <string>
#include <vector>

#include "core/formats/platform.hpp"

namespace epochcast::sim {

/// Reads a SimGrid XML platform: host properties define its devices (docs/formats.md). Takes this
/// process's engine, which Cluster then uses. Throws a UserError with every problem that
/// xml_checks.hpp finds, else with SimGrid's message.
[[nodiscard]] Platform describe_xml_platform(const std::string& file);

/// Hosts of the loaded XML platform by node: hosts with the same property "node" are one node,
/// other hosts are a node each. Both in the order of the file.
[[nodiscard]] std::vector<std::vector<simgrid::s4u::Host*>> hosts_by_node();

}  // namespace epochcast::sim
