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
    /// The expected width of its cells, if rows are printed before all are known.
    std::size_t least_width = 0;
    /// If the line is too short, the least important column is omitted, among equals the last one.
    int importance = 0;
    Paint paint = nullptr;
  };
  static constexpr int kAlways = 1000;  ///< the importance of columns that stay

  void add_column(Column column);
  /// The first column is fixed; of the others, the last one is omitted first.
  void add_column(std::string title, Align align = Align::left, std::size_t least_width = 0);
  /// One cell per column.
  void add_row(std::vector<std::string> cells);
  /// A heading for the following rows, after an empty line. It may be longer than the table.
  void add_heading(std::string text);
  /// Titles, a rule, rows; two spaces between columns. Columns are as wide as their widest
  /// cell (UTF-8 aware). Later calls print only new rows, in the columns of the first
  /// call.
  void print(std::ostream& out, const TableLook& look = {});
  /// Names the omitted columns, if any: after the last print().
  void name_left_out(std::ostream& out) const;
  /// Both, for a complete table.
  void print_whole(std::ostream& out, const TableLook& look);
  /// The same as Markdown, all columns; cells are not escaped.
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
  std::vector<Row> rows_;              ///< to be printed
  std::vector<std::string> left_out_;  ///< titles
  bool has_titles_ = false;            ///< printed
};

}  // namespace epochcast
