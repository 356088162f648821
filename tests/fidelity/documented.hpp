// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace epochcast::tests {

/// Prints a row of a table and checks that docs/published.md has it, to the digit.
void check_documented(const std::string& row);

/// A number with so many digits after the point, with a sign when `is_signed`.
[[nodiscard]] std::string fixed(double value, int digits, bool is_signed = false);

}  // namespace epochcast::tests
