#include "logctl/table.h"

#include <algorithm>

#include "logctl/text.h"

namespace turnlog {
namespace {

constexpr std::size_t kWidestColumn = 48;  // longer cells stick out instead of pushing everything away

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (const Column& column : columns_) widths_.push_back(column.header.size());
}

void Table::Add(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    widths_[i] = std::max(widths_[i], std::min(DisplayWidth(cells[i]), kWidestColumn));
  }
  rows_.push_back(std::move(cells));
}

void Table::Print(Output& out) {
  if (!rows_.empty() && !header_printed_) {
    std::vector<std::string> headers;
    headers.reserve(columns_.size());
    for (const Column& column : columns_) headers.push_back(column.header);
    out.Write(out.Paint(Style::kDim, Line(headers)) + "\n");
    header_printed_ = true;
  }
  for (const auto& row : rows_) out.Write(Line(row) + "\n");
  rows_.clear();
}

std::string Table::Line(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += columns_[i].align == Align::kRight ? PadLeft(cells[i], widths_[i]) : PadRight(cells[i], widths_[i]);
  }
  return line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace turnlog
