// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace epochcast::sim {

/// Checks a SimGrid XML platform before SimGrid loads it, since SimGrid aborts on errors.
///
/// Allowed are hosts, links, zones, clusters and routes. Refused are elements that run programs,
/// use other files, or change links over time, and platforms that cannot be simulated: quantities
/// beyond those of base/text/units.hpp, impossible topologies, more than a million hosts. Throws a
/// UserError that lists every problem.
void check_xml_platform(const std::string& file);

}  // namespace epochcast::sim
