// Aligned columns, printed page by page so that long lists need no memory. Lines are cut to the width of a terminal,
// the widest text columns first; elsewhere nothing is cut.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
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
  void Add(std::initializer_list<std::string_view> cells);
  // Prints the rows added since the last call, and the header before the first row. Widths only grow from page to page.
  void Print(Output& out);

 private:
  struct Cell {
    std::size_t bytes, width;
  };
  // One after another.
  struct Cells {
    std::string text;
    std::vector<Cell> sizes;

    void Add(std::string_view cell);
  };

  // The width of each column within `columns`.
  std::vector<std::size_t> Fit(std::optional<std::size_t> columns) const;
  std::string Lines(const Cells& cells, std::optional<std::size_t> columns) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  Cells rows_;  // the cells of each row, row by row
  bool header_printed_ = false;
};

}  // namespace turnlog
