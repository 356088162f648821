// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/throughput/training_job.hpp"
#include "core/formats/network.hpp"
#include "core/formats/platform.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// The figures of the platform's nodes whose devices train: links as its simulation has them, and
/// the fastest devices alone. Throws a UserError if the platform is a SimGrid file, or has several
/// kinds of such nodes.
[[nodiscard]] NodeFigures node_figures(const Platform& platform, const Catalog& catalog);
/// A note if other devices of these nodes train, too; else empty.
[[nodiscard]] std::string left_out_note(const Platform& platform, const Catalog& catalog);
/// What one of these devices trains at most, by its data sheet; 0: unknown.
[[nodiscard]] double peak_samples_per_s(const Network& network,
                                        const Platform& platform,
                                        const Catalog& catalog);

/// The job of training the network: its gradients, of which the last layer's are complete at the
/// end of backward.
[[nodiscard]] TrainingJob training_job(const Network& network);

/// By name; throws a UserError that begins with `option`.
[[nodiscard]] GradientOverlap overlap_named(const std::string& text, const std::string& option);

}  // namespace epochcast
