// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.hpp"
#include "real/data/training_data.hpp"
#include "real/torch/training_learner.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

/// The data set that a configuration names. Throws a UserError when it names none, or a network or
/// an optimizer that does not exist.
[[nodiscard]] Dataset training_dataset(const JobConfig& config, const Catalog& catalog);

/// The learning settings of the configuration, for a device that computes in this precision: with
/// a scale of the loss in float16.
[[nodiscard]] LearnerSettings learner_settings(const JobConfig& config, Precision precision);

}  // namespace epochcast::real
