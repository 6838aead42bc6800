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

// The spaces that `cell` lacks for the width.
void AppendPadding(std::string& line, std::string_view cell, std::size_t width) {
  const std::size_t has = DisplayWidth(cell);
  line.append(has < width ? width - has : 0, ' ');
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (const Column& column : columns_) widths_.push_back(column.header.size());
}

void Table::Add(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], DisplayWidth(cells[i]));
  rows_.push_back(std::move(cells));
}

void Table::Print(Output& out) {
  const auto columns = out.columns();
  const auto widths = Fit(columns);
  if (!rows_.empty() && !header_printed_) {
    std::vector<std::string> headers;
    headers.reserve(columns_.size());
    for (const Column& column : columns_) headers.push_back(column.header);
    out.Write(out.Paint(Style::kDim, Line(headers, widths, columns.has_value())) + "\n");
    header_printed_ = true;
  }
  for (const auto& row : rows_) out.Write(Line(row, widths, columns.has_value()) + "\n");
  rows_.clear();
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

std::string Table::Line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths, bool cut) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    if (columns_[i].align == Align::kRight) {
      AppendPadding(line, cells[i], widths[i]);
      line += cells[i];
    } else {
      const std::string cell = cut ? CutToWidth(cells[i], widths[i]) : cells[i];
      line += cell;
      AppendPadding(line, cell, widths[i]);
    }
  }
  return line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace turnlog
