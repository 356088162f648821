// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/job/job.hpp"

namespace epochcast {

/// Throws a UserError, with the catalogue's data sets that fit, if the network's file does not
/// describe it for samples of this data set.
void check_takes(const std::filesystem::path& network,
                 const Dataset& dataset,
                 const JobConfig& config,
                 const Catalog& catalog);

/// The file of the catalogue's only data set whose samples the job's network takes. None if the
/// network is no description, or cannot be read; that is reported elsewhere. Throws a UserError
/// with the data sets that fit if there are several, or none.
[[nodiscard]] std::optional<std::filesystem::path> only_fitting_dataset(const JobConfig& config,
                                                                        const Catalog& catalog);

}  // namespace epochcast
