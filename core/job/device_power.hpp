// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/platform.hpp"

namespace epochcast {

class Catalog;

/// Lets the platform's devices draw what their data sheets in models/devices say, where it says
/// nothing itself. Throws a UserError where one of these cannot be read.
void add_power(Platform& platform, const Catalog& catalog);

}  // namespace epochcast
