// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace epochcast::real {

// Free of LibTorch headers.

/// The text of models/networks/NAME.json (schema `epochcast.network/1`) for a network of
/// network_names(), one layer per line, layers in backward order.
[[nodiscard]] std::string network_text(const std::string& name);

}  // namespace epochcast::real
