// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace epochcast::real {

// Free of LibTorch headers.

/// The names that make_network() knows: the image classifiers, smallest first, then those of rows
/// and of texts, and the GAN.
[[nodiscard]] std::vector<std::string> network_names();

/// Throws the UserError that make_network() would throw.
void check_network(const std::string& name,
                   std::span<const std::int64_t> shape,
                   std::int64_t classes);

}  // namespace epochcast::real
