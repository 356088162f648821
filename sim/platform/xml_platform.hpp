// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <string>
#include <vector>

#include "core/formats/platform.hpp"

namespace epochcast::sim {

/// Reads a SimGrid XML platform: host properties say what each host is (docs/formats.md).
/// Takes this process's engine, which Cluster then uses. Throws a UserError with every problem that
/// xml_checks.hpp finds, else with what SimGrid says.
[[nodiscard]] Platform describe_xml_platform(const std::string& file);

/// Hosts of the loaded XML platform by node: hosts of equal property "node" share one, others are
/// nodes of their own. Both in the order of the file.
[[nodiscard]] std::vector<std::vector<simgrid::s4u::Host*>> hosts_by_node();

}  // namespace epochcast::sim
