// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/formats/network.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// Whether the folder describes its data set by itself: tensors or tokens of the user's own
/// (core/tensors/own_data.hpp), or images in folders by class (core/formats/image_list.hpp).
[[nodiscard]] bool describes_itself(const std::filesystem::path& folder);

/// The place of the data set's description: a file, or a folder that describes itself. That is
/// --dataset or, without it, --data if that names such a folder, else the only data set of the
/// catalogue that the network takes. Names of the catalogue come before folders. Throws a
/// UserError.
[[nodiscard]] std::filesystem::path dataset_place(const JobConfig& config, const Catalog& catalog);

/// The data set that the configuration chooses; texts whose targets are tokens are cut as
/// --sequence says, images of a folder as --image-size does. Throws a UserError, also if one of
/// these does not apply to the data set.
[[nodiscard]] Dataset chosen_dataset(const JobConfig& config, const Catalog& catalog);

/// A note if the job's data set follows from its network; else empty.
[[nodiscard]] std::string dataset_note(const JobConfig& config,
                                       const Dataset& dataset,
                                       const std::string& network);

/// The place of the samples: --data or, without it, --dataset if that is a folder of data; "" if
/// neither is given.
[[nodiscard]] std::string chosen_data(const JobConfig& config);

/// Number of samples that a job is tested on: those in the folder of data if it describes itself,
/// else those of its data set `dataset`; --test-samples at most. Throws a UserError.
[[nodiscard]] std::int64_t tested_samples(const JobConfig& config, const Dataset& dataset);

}  // namespace epochcast
