// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/formats/network.hpp"

namespace epochcast {

/// The file `epochcast.network/1` that describes a model file (is_model_file()) for a data set's
/// samples. It is kept in the user's cache ($XDG_CACHE_HOME/epochcast, ~/.cache/epochcast; a folder
/// of temporary files where that cannot be written to) by the model's content, and made by the
/// program epochcast-describe, beside this one, when it is not there. Throws a UserError when that
/// program is not installed, or refuses the model.
[[nodiscard]] std::filesystem::path description_of_model(const std::filesystem::path& model,
                                                         const Dataset& dataset);

/// Says on standard error that loading a model file runs what is in it, the first time that this is
/// done with this content; the user's cache remembers it.
void tell_of_loading(const std::filesystem::path& model);

/// The network that a description or a model file tells of, for a data set's samples. Throws a
/// UserError as load_network() and description_of_model() do.
[[nodiscard]] Network network_in(const std::filesystem::path& file, const Dataset& dataset);

}  // namespace epochcast
