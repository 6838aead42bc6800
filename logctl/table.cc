#include "logctl/table.h"

#include <algorithm>
#include <numeric>

#include "base/unicode.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

constexpr std::size_t kWidestColumn = 48;  // longer cells overflow instead of widening all rows
constexpr std::size_t kNarrowest = 8;      // a cut column keeps at least this width
constexpr std::size_t kGap = 2;            // between columns

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (const Column& column : columns_) widths_.push_back(column.header.size());
}

void Table::Cells::Add(std::string_view cell) {
  text += cell;
  sizes.push_back({.bytes = cell.size(), .width = DisplayWidth(cell)});
}

void Table::Add(std::initializer_list<std::string_view> cells) {
  std::size_t column = 0;
  for (const std::string_view cell : cells) {
    rows_.Add(cell);
    std::size_t& width = widths_[column++];
    width = std::max(width, rows_.sizes.back().width);
  }
}

void Table::Print(Output& out) {
  if (!rows_.sizes.empty() && !header_printed_) {
    Cells headers;
    for (const Column& column : columns_) headers.Add(column.header);
    std::string line = Lines(headers, out.columns());
    line.pop_back();
    out.Write(out.Paint(Style::kDim, line) + "\n");
    header_printed_ = true;
  }
  out.Write(Lines(rows_, out.columns()));
  rows_ = {};
}

// Numbers are never cut, so a table of many may still be too wide.
std::vector<std::size_t> Table::Fit(std::optional<std::size_t> columns) const {
  std::vector<std::size_t> widths = widths_;
  if (!columns) {
    for (std::size_t& width : widths) width = std::min(width, kWidestColumn);
    return widths;
  }
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1)); };
  while (total() > *columns) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool text = columns_[i].align == Align::kLeft && widths[i] > kNarrowest;
      if (text && (widest == widths.size() || widths[i] >= widths[widest])) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::Lines(const Cells& cells, std::optional<std::size_t> columns) const {
  const std::vector<std::size_t> widths = Fit(columns);
  std::string lines, beginning;
  std::string_view text = cells.text;
  for (std::size_t i = 0; i < cells.sizes.size(); ++i) {
    const std::size_t column = i % columns_.size(), width = widths[column];
    const Cell& size = cells.sizes[i];
    std::string_view cell = text.substr(0, size.bytes);
    text.remove_prefix(size.bytes);
    std::size_t has = size.width;
    if (columns && has > width) {
      cell = beginning = CutToWidth(cell, width);
      has = DisplayWidth(beginning);
    }
    const std::string padding(has < width ? width - has : 0, ' ');
    if (column > 0) lines.append(kGap, ' ');
    if (columns_[column].align == Align::kRight) lines += padding;
    lines += cell;
    if (columns_[column].align == Align::kLeft) lines += padding;
    if (column + 1 < columns_.size()) continue;
    lines.erase(lines.find_last_not_of(' ') + 1);
    lines += '\n';
  }
  return lines;
}

}  // namespace turnlog
