// Aligned columns, printed page by page so that long lists need no memory. Lines are cut to the width of a terminal,
// the widest text columns first; elsewhere nothing is cut.
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
  // Prints the rows added since the last call, and the header before the first row. Widths only grow from page to page.
  void Print(Output& out);

 private:
  // The width of each column within `columns`.
  std::vector<std::size_t> Fit(std::optional<std::size_t> columns) const;
  std::string Line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths, bool cut) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
  bool header_printed_ = false;
};

}  // namespace turnlog
