// SPDX-License-Identifier: Apache-2.0
#include "cli/show/csv_row.hpp"

namespace epochcast {

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) {
    const bool is_quoted = cell.find_first_of(",\"\n") != std::string::npos;
    if (&cell != &cells.front()) row += ',';
    if (is_quoted) row += '"';
    for (const char c : cell) row += c == '"' ? "\"\"" : std::string(1, c);
    if (is_quoted) row += '"';
  }
  return row + '\n';
}

}  // namespace epochcast
