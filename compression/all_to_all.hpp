// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

/// Starts sending to[q] to member q, and receiving from[q] from member q, for all members but this
/// one. Farther members come later: no member is sent to by all at once.
[[nodiscard]] std::vector<Request> start_all_to_all(Fabric& fabric,
                                                    const Communicator& among,
                                                    const std::vector<Payload>& to,
                                                    const std::vector<Payload>& from);

}  // namespace epochcast
