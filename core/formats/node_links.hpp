// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/fabric.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// Bytes per second from one device of a node to the others over all its NVLinks: the least of all
/// devices but CPUs. Absent if NVLinks make no ring of them: one that has no two neighbours, or
/// groups without a link between them.
[[nodiscard]] std::optional<double> nvlink_ring_bytes_per_s(const NodeGroup& group);

/// Links of a platform, for a library that uses all of a node at once: the least of its
/// nodes. Devices are those that are no CPUs, or all if there are no others. The default if nodes
/// are unknown (SimGrid XML files).
[[nodiscard]] NodeLinks node_links(const Platform& platform);

}  // namespace epochcast
