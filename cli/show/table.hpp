// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/show/table_look.hpp"

namespace epochcast {

/// Text in aligned columns.
class Table {
 public:
  enum class Align { left, right };
  /// A cell, padded, with colours.
  using Paint = std::string (*)(const std::string& cell);

  struct Column {
    std::string title;
    Align align = Align::left;
    /// What its cells are likely to take, where rows are printed before all are there.
    std::size_t least_width = 0;
    /// Where there is no room for all, the least important goes, of equals the last one.
    int importance = 0;
    Paint paint = nullptr;
  };
  static constexpr int kAlways = 1000;  ///< the importance of columns that stay

  void add_column(Column column);
  /// The first column stays; of others, the last one goes first.
  void add_column(std::string title, Align align = Align::left, std::size_t least_width = 0);
  /// One cell per column.
  void add_row(std::vector<std::string> cells);
  /// A heading of the rows that follow, below an empty line. It may be longer than the table.
  void add_heading(std::string text);
  /// Titles, a rule, rows; two spaces between columns. Columns are as wide as their widest cell
  /// (UTF-8 aware). From the second time on, only the rows that are new, in the columns of the
  /// first time.
  void print(std::ostream& out, const TableLook& look = {});
  /// Names the columns that there was no room for, if any: behind the last print().
  void name_left_out(std::ostream& out) const;
  /// Both, of a table whose rows are all there.
  void print_whole(std::ostream& out, const TableLook& look);
  /// The same as Markdown, all columns; cells are as they are.
  void print_markdown(std::ostream& out) const;

 private:
  struct Laid {
    Column column;
    std::size_t width = 0;
    bool is_shown = true;
  };
  struct Row {
    std::vector<std::string> cells;  ///< empty: a heading
    std::string heading = {};
  };
  void fit(std::size_t width);
  [[nodiscard]] std::string line_of(const std::vector<std::string>& cells, bool is_painted) const;

  std::vector<Laid> columns_;
  std::vector<Row> rows_;              ///< that are to be printed
  std::vector<std::string> left_out_;  ///< titles
  bool has_titles_ = false;            ///< printed
};

}  // namespace epochcast
