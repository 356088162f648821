// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/networks/describe/network.hpp"

namespace epochcast::describe {

/// The text of models/networks/NAME.json (schema `epochcast.network/1`), one layer per line, layers
/// in backward order: the reverse of the forward pass, which is the order in which autograd
/// finishes their gradients.
[[nodiscard]] std::string network_text(const Network& network);

}  // namespace epochcast::describe
