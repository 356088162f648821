// SPDX-License-Identifier: Apache-2.0
#include "cli/show/table.hpp"

#include <algorithm>
#include <ostream>

namespace epochcast {
namespace {

/// Columns on the terminal: bytes that do not continue a UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

}  // namespace

void Table::add_column(std::string title, Align align) {
  columns_.push_back({std::move(title), align});
}

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, width_of(row[i]));
    widths.push_back(width);
  }
  const auto print_row = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string padding(widths[i] - width_of(cell), ' ');
      line += (i == 0 ? "" : "  ") +
              (columns_[i].align == Align::left ? cell + padding : padding + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  std::vector<std::string> rules;
  rules.reserve(widths.size());
  for (const std::size_t width : widths) rules.emplace_back(width, '-');
  print_row([&](std::size_t i) -> const std::string& { return rules[i]; });
  for (const auto& row : rows_) {
    print_row([&](std::size_t i) -> const std::string& { return row[i]; });
  }
}

}  // namespace epochcast
