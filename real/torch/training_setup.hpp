// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.hpp"
#include "real/data/data_source.hpp"
#include "real/torch/training_learner.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

/// The data set that a configuration names. Throws a UserError when it names none, or a network or
/// an optimizer that LibTorch has not.
[[nodiscard]] Dataset training_dataset(const JobConfig& config, const Catalog& catalog);

/// What the configuration trains and tests on. Throws a UserError when it does not say, or when
/// there is less than it asks for.
[[nodiscard]] DataSplit training_data(const JobConfig& config, const Dataset& dataset);

/// How the configuration learns.
[[nodiscard]] LearnerSettings learner_settings(const JobConfig& config);

}  // namespace epochcast::real
