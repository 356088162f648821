// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace epochcast::sim {

/// Loads an XML platform and routes messages over it in a separate process, since SimGrid ends the
/// process on errors. To be called before this process has an engine.
///
/// Throws a UserError with SimGrid's message, or with the first two hosts without a route.
void try_xml_platform(const std::string& file);

}  // namespace epochcast::sim
