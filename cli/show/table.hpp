// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace epochcast {

/// Text in aligned columns.
class Table {
 public:
  enum class Align { left, right };

  /// `least_width`: what its cells are likely to take, where rows are printed before all are there.
  void add_column(std::string title, Align align = Align::left, std::size_t least_width = 0);
  /// One cell per column.
  void add_row(std::vector<std::string> cells);
  /// Titles, a rule, rows; two spaces between columns. Columns are as wide as their widest cell
  /// (UTF-8 aware). From the second time on, only the rows that are new.
  void print(std::ostream& out);
  /// The same as Markdown; cells are as they are.
  void print_markdown(std::ostream& out) const;

 private:
  struct Column {
    std::string title;
    Align align;
    std::size_t width;
  };
  void print_row(std::ostream& out, const std::vector<std::string>& cells) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  ///< that are to be printed
  bool has_titles_ = false;                     ///< printed
};

}  // namespace epochcast
