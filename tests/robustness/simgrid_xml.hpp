// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/formats/platform.hpp"

namespace epochcast::tests {

/// The platform as a SimGrid XML file: one zone that has every device, every link of
/// described_routes.hpp, and the route between every two devices. For stars without messages.
[[nodiscard]] std::string as_simgrid_xml(const Platform& platform);

}  // namespace epochcast::tests
