// Columns that line up, printed page by page so that long lists need no memory. On a terminal no line is wider than
// that: texts are cut, the widest columns first; elsewhere nothing is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "logctl/output.h"

namespace turnlog {

class Table {
 public:
  enum class Align : unsigned char { kLeft, kRight };
  struct Column {
    std::string header;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);
  // One printable cell per column.
  void Add(std::vector<std::string> cells);
  // What was added since the last call; the header before the first row. Widths only grow from page to page.
  void Print(Output& out);

 private:
  // What each column gets of `columns`.
  std::vector<std::size_t> Fit(std::optional<std::size_t> columns) const;
  std::string Line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths, bool cut) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
  bool header_printed_ = false;
};

}  // namespace turnlog
