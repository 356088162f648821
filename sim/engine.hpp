// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

namespace epochcast::sim {

/// The process's SimGrid engine, made and configured by the first call: there is one per process.
[[nodiscard]] simgrid::s4u::Engine& engine();

}  // namespace epochcast::sim
