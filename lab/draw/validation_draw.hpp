// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// Configurations at random: forecasts are checked on rows that were not chosen.
struct ValidationDraw {
  std::uint64_t seed = 0;
  std::size_t rows = 0;
  std::filesystem::path box;     ///< the program that makes a cluster (lab/box/box)
  std::filesystem::path folder;  ///< for the platforms of what emulates; it exists
};

/// Rows in groups of 4 to 6 that share a cluster, a command and a network (the last group may have
/// fewer), by the distribution of drawn_group.hpp. The same seed and catalogue give the same rows,
/// and more rows begin with the same.
///
/// A row that an experiment file could not have (problems_of_cases), that its group has already or
/// that would take too long is drawn again. Throws a UserError when a row of a group has been
/// refused a hundred times, or for a box whose path has blanks, at which `launch` is split.
[[nodiscard]] std::vector<ValidationCase> draw_validation(const ValidationDraw& draw,
                                                          const Catalog& catalog);

/// The box beside the catalogue, in the source tree. Throws a UserError with advice if it is not
/// there.
[[nodiscard]] std::filesystem::path box_of(const Catalog& catalog);

}  // namespace epochcast
