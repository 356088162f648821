// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/platform.hpp"

namespace epochcast {

class Catalog;

/// Completes the platform by the power of devices in models/devices, for devices without their own.
/// Throws a UserError if a data sheet cannot be read.
void add_power(Platform& platform, const Catalog& catalog);

}  // namespace epochcast
