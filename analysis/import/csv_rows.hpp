// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// Calls use(fields, row) for every row of CSV text that is not empty; rows count from 1. Passes on
/// exceptions of `use`. Throws a UserError for a misplaced quotation mark.
void for_each_csv_row(
    std::string_view text,
    const std::string& file,
    const std::function<void(const std::vector<std::string>& fields, std::int64_t row)>& use);

}  // namespace epochcast
