// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/formats/network.hpp"

namespace epochcast {

/// The file `epochcast.network/1` that describes a model file (is_model_file()) for a data set's
/// samples. It is kept in the user's cache ($XDG_CACHE_HOME/epochcast, ~/.cache/epochcast; if that
/// is not writable, private_temporary_folder()) by the model's content, and is made by the program
/// epochcast-describe if missing. Throws a UserError when that program is not installed, or refuses
/// the model.
[[nodiscard]] std::filesystem::path description_of_model(const std::filesystem::path& model,
                                                         const Dataset& dataset);

/// Warns on stderr that loading a model file runs code in it, once per content; the user's cache
/// keeps a mark.
void warn_of_loading(const std::filesystem::path& model);

/// The network of a description or a model file, for a data set's samples. Throws a UserError as
/// load_network() and description_of_model() do.
[[nodiscard]] Network network_in(const std::filesystem::path& file, const Dataset& dataset);

}  // namespace epochcast
