// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/network_fit.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// A platform for the machines of a message trace: one device of class "cpu" for each rank, of the
/// model given for it. Its source is the trace's.
[[nodiscard]] Platform platform_of_trace(const MessageTrace& trace,
                                         const std::vector<std::string>& model_of_rank);

/// The platform with what the fit says of its network, the insides of its nodes and its devices'
/// adding, to six digits, and `source`: of the trace that was fitted. What was not measured stays
/// as it is. Inside nodes, measured messages go through memory, whatever the topology was.
///
/// Where nodes were found to have links of their own, node i of the platform is node i of the
/// trace: groups of nodes are divided accordingly. A platform with another number of nodes, or that
/// is no star, has the slowest link everywhere, and a note that says so.
[[nodiscard]] Platform calibrated_platform(Platform platform,
                                           const NetworkFit& fit,
                                           const Source& source);

}  // namespace epochcast
