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

void Table::add_column(std::string title, Align align, std::size_t least_width) {
  const std::size_t width = std::max(width_of(title), least_width);
  columns_.push_back({std::move(title), align, width});
}

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i].width = std::max(columns_[i].width, width_of(cells[i]));
  rows_.push_back(std::move(cells));
}

void Table::print_row(std::ostream& out, const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string padding(columns_[i].width - width_of(cells[i]), ' ');
    line += (i == 0 ? "" : "  ") +
            (columns_[i].align == Align::left ? cells[i] + padding : padding + cells[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void Table::print(std::ostream& out) {
  if (!has_titles_) {
    std::vector<std::string> titles;
    std::vector<std::string> rules;
    for (const Column& column : columns_) {
      titles.push_back(column.title);
      rules.emplace_back(column.width, '-');
    }
    print_row(out, titles);
    print_row(out, rules);
    has_titles_ = true;
  }
  for (const std::vector<std::string>& row : rows_) print_row(out, row);
  rows_.clear();
}

void Table::print_markdown(std::ostream& out) const {
  const auto print_row = [&](const auto& cell_of) {
    out << '|';
    for (std::size_t i = 0; i < columns_.size(); ++i) out << ' ' << cell_of(i) << " |";
    out << '\n';
  };
  print_row([&](std::size_t i) { return columns_[i].title; });
  print_row([&](std::size_t i) { return columns_[i].align == Align::left ? "---" : "---:"; });
  for (const auto& row : rows_) {
    print_row([&](std::size_t i) { return row[i]; });
  }
}

}  // namespace epochcast
