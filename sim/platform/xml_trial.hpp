// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace epochcast::sim {

/// Lets SimGrid load an XML platform and route messages over it in a process of its own, since it
/// ends the process where something is wrong. To be called before this process has an engine.
///
/// Throws a UserError with what SimGrid said, or with the first two hosts that have no route.
void try_xml_platform(const std::string& file);

}  // namespace epochcast::sim
