// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// A checksum of how many samples there are and of what they look like, and of 32 of them with
/// their targets, evenly spread: quick for data of any size, and wherever they lie. Throws as
/// load() does.
[[nodiscard]] std::string content_mark(const DataSource& data);

}  // namespace epochcast::real
