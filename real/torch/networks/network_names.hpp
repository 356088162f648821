// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "real/torch/networks/task.hpp"

namespace epochcast::real {

// Free of LibTorch headers.

/// The names that make_network() accepts: the image classifiers, smallest first, then those of rows
/// of texts and of tokens, and the GAN.
[[nodiscard]] std::vector<std::string> network_names();

/// Throws the UserError that make_network() would throw.
void check_network(const std::string& name, const Task& task);

}  // namespace epochcast::real
