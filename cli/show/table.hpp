// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace epochcast {

/// Text in aligned columns.
class Table {
 public:
  enum class Align { left, right };

  void add_column(std::string title, Align align = Align::left);
  /// One cell per column.
  void add_row(std::vector<std::string> cells);
  /// Titles, a rule, rows; two spaces between columns. Columns are as wide as their widest cell
  /// (UTF-8 aware).
  void print(std::ostream& out) const;

 private:
  struct Column {
    std::string title;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace epochcast
