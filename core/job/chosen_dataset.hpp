// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/formats/network.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// Whether the folder says by itself what data set it holds: tensors or tokens of the user's own
/// (core/tensors/own_data.hpp), or images in folders by class (core/files/image_list.hpp).
[[nodiscard]] bool describes_itself(const std::filesystem::path& folder);

/// What says what the data set is: the file of its description, or a folder that describes itself.
/// That is --dataset; --data, where that is missing and names such a folder. Names of the catalogue
/// come before folders. Throws a UserError.
[[nodiscard]] std::filesystem::path dataset_place(const JobConfig& config, const Catalog& catalog);

/// The data set that the configuration chooses; texts whose targets are tokens are cut as
/// --sequence says, images of a folder as --image-size does. Throws a UserError, also where one of
/// these is for another data set.
[[nodiscard]] Dataset chosen_dataset(const JobConfig& config, const Catalog& catalog);

/// Where samples come from: --data, or --dataset where --data is missing and that is a folder of
/// data; "" where nothing says it.
[[nodiscard]] std::string chosen_data(const JobConfig& config);

}  // namespace epochcast
