// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// A checksum of the number and shape of samples, and of 32 of them with their targets, evenly
/// spread: quick for data of any size, and independent of its place. Throws as load() does.
[[nodiscard]] std::string content_mark(const DataSource& data);

}  // namespace epochcast::real
