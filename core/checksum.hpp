// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace epochcast {

/// XXH3's 128 bits of the bytes (libxxhash), as 32 hexadecimal digits: damage does not go unnoticed
/// and different contents have different names. No protection against forgery.
[[nodiscard]] std::string checksum(std::string_view bytes);

}  // namespace epochcast
