// Columns that line up, printed page by page so that long lists need no memory.
#pragma once

#include <cstddef>
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
  std::string Line(const std::vector<std::string>& cells) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
  bool header_printed_ = false;
};

}  // namespace turnlog
