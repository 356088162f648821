// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast::real {

/// The names that make_network() knows, smallest network first. Free of LibTorch headers.
[[nodiscard]] std::vector<std::string> network_names();

}  // namespace epochcast::real
