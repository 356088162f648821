// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/network_fit.hpp"
#include "core/formats/cost_trace.hpp"
#include "core/formats/platform.hpp"

namespace epochcast {

/// A platform for the machines of a message trace: one device of class "cpu" for each rank, of the
/// model given for it. Its source is the trace's.
[[nodiscard]] Platform platform_of_trace(const MessageTrace& trace,
                                         const std::vector<std::string>& model_of_rank);

/// The platform with the fitted costs of its network, of messages inside nodes and of its devices'
/// reduction, to six digits, and `source`: that of the fitted trace. Figures without measurement
/// remain. Inside nodes, measured messages go through memory, whatever the topology was.
///
/// If nodes have different links, node i of the platform is node i of the trace: groups of nodes
/// are divided accordingly. A platform with another number of nodes, or with another topology than
/// a star, gets the slowest link everywhere, and a note.
[[nodiscard]] Platform calibrated_platform(Platform platform,
                                           const NetworkFit& fit,
                                           const Source& source);

/// The platform with the slowdowns of its devices' batches and exchanges that overlap: those
/// measured by `costs` of the same device model; else the ones it states; else the default of the
/// device class, if there is one, as an estimate.
[[nodiscard]] Platform with_overlap(Platform platform, const std::vector<CostTrace>& costs);

}  // namespace epochcast
