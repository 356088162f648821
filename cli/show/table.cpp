// SPDX-License-Identifier: Apache-2.0
#include "cli/show/table.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "base/text/plain_text.hpp"
#include "base/text/printable_stream.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kGap = 2;

/// Columns on the terminal: bytes that do not continue a UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

}  // namespace

void Table::add_column(Column column) {
  const std::size_t width = std::max(width_of(column.title), column.least_width);
  columns_.push_back({std::move(column), width});
}

void Table::add_column(std::string title, Align align, std::size_t least_width) {
  const int importance = columns_.empty() ? kAlways : 0;
  add_column({std::move(title), align, least_width, importance});
}

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i].width = std::max(columns_[i].width, width_of(cells[i]));
  rows_.push_back({.cells = std::move(cells)});
}

void Table::add_heading(std::string text) {
  rows_.push_back({.cells = {}, .heading = std::move(text)});
}

/// Omits columns until a line has at most `width` characters, or only fixed ones
/// remain.
void Table::fit(std::size_t width) {
  std::size_t needed = 0;
  for (const Laid& each : columns_) needed += each.width + kGap;
  while (needed > width + kGap) {
    Laid* least = nullptr;
    for (Laid& each : columns_) {
      const bool may_go = each.is_shown && each.column.importance < kAlways;
      if (may_go && (least == nullptr || each.column.importance <= least->column.importance))
        least = &each;
    }
    if (least == nullptr) break;
    least->is_shown = false;
    needed -= least->width + kGap;
  }
  for (const Laid& each : columns_) {
    if (!each.is_shown) left_out_.push_back(each.column.title);
  }
}

std::string Table::line_of(const std::vector<std::string>& cells, bool is_painted) const {
  std::string line;
  std::string padding;  // before the next cell; none after the last one
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Laid& laid = columns_[i];
    if (!laid.is_shown) continue;
    const std::string space(laid.width - width_of(cells[i]), ' ');
    const bool is_right = laid.column.align == Align::right;
    const bool has_paint = is_painted && laid.column.paint != nullptr && !cells[i].empty();
    if (is_right) padding += space;
    if (!cells[i].empty())
      line += std::exchange(padding, {}) + (has_paint    ? laid.column.paint(printable(cells[i]))
                                            : is_painted ? printable(cells[i])
                                                         : cells[i]);
    if (!is_right) padding += space;
    padding += std::string(kGap, ' ');
  }
  return line;
}

void Table::print(std::ostream& out, const TableLook& look) {
  if (!has_titles_) {
    if (look.width > 0) fit(look.width);
    std::vector<std::string> titles;
    std::vector<std::string> rules;
    for (const Laid& each : columns_) {
      titles.push_back(each.column.title);
      rules.emplace_back(each.width, '-');
    }
    if (look.has_colours) {
      write_unfiltered(out, bold(printable(line_of(titles, false))));
    } else {
      out << line_of(titles, false);
    }
    out << '\n' << line_of(rules, false) << '\n';
    has_titles_ = true;
  }
  for (const Row& row : rows_) {
    if (row.cells.empty()) {
      out << '\n' << row.heading;
    } else if (look.has_colours) {
      write_unfiltered(out, line_of(row.cells, true));
    } else {
      out << line_of(row.cells, false);
    }
    out << '\n';
  }
  rows_.clear();
}

void Table::name_left_out(std::ostream& out) const {
  if (left_out_.empty()) return;
  out << "\n  Not shown, as the terminal is too narrow (--wide shows all): ";
  for (std::size_t i = 0; i < left_out_.size(); ++i) out << (i == 0 ? "" : ", ") << left_out_[i];
  out << ".\n";
}

void Table::print_whole(std::ostream& out, const TableLook& look) {
  print(out, look);
  name_left_out(out);
}

void Table::print_markdown(std::ostream& out) const {
  const auto print_row = [&](const auto& cell_of) {
    out << '|';
    for (std::size_t i = 0; i < columns_.size(); ++i) out << ' ' << cell_of(i) << " |";
    out << '\n';
  };
  print_row([&](std::size_t i) { return columns_[i].column.title; });
  print_row(
      [&](std::size_t i) { return columns_[i].column.align == Align::left ? "---" : "---:"; });
  for (const Row& row : rows_) {
    print_row([&](std::size_t i) {
      return !row.cells.empty() ? row.cells[i] : i == 0 ? row.heading : std::string();
    });
  }
}

}  // namespace epochcast
