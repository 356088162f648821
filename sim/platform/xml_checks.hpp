// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace epochcast::sim {

/// Looks through a SimGrid XML platform before SimGrid does, whose loader aborts where it could
/// complain.
///
/// What may be there: hosts, links, zones, clusters and routes. What runs programs, reads or writes
/// other files, or changes links while time passes is refused, and so is what cannot be simulated:
/// quantities beyond those of core/units.hpp, impossible topologies, more than a million hosts.
/// Throws a UserError that lists every problem.
void check_xml_platform(const std::string& file);

}  // namespace epochcast::sim
