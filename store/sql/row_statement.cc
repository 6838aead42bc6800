#include "store/sql/row_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace turnlog {
namespace {

constexpr std::size_t kMostRows = 32;

template <class TextFn>
std::vector<SqlStatement> StatementsOf(std::string_view name, TextFn text) {
  std::vector<SqlStatement> statements(kMostRows + 1);
  for (std::size_t rows = 1; rows <= kMostRows; ++rows) {
    if (RowsAtOnce(rows) == rows) statements[rows] = {fmt::format("{}_{}", name, rows), text(rows)};
  }
  return statements;
}

}  // namespace

std::size_t RowsAtOnce(std::size_t left) {
  const std::size_t most = std::min(left, kMostRows);
  return most & ~((std::bit_floor(most) >> 2) - (most < 4 ? 0 : 1));
}

std::string ValuesOf(std::size_t rows, const std::vector<const char*>& casts) {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    text += row == 0 ? "(" : ", (";
    for (std::size_t column = 0; column < casts.size(); ++column) {
      text += fmt::format("{}${}{}", column == 0 ? "" : ", ", row * casts.size() + column + 1, casts[column]);
    }
    text += ')';
  }
  return text;
}

RowStatement RowStatement::Insert(std::string_view table, std::size_t columns) {
  return RowStatement(fmt::format("{}_insert", table), [&](std::size_t rows) {
    return fmt::format("INSERT INTO {} VALUES {}", table, ValuesOf(rows, std::vector<const char*>(columns, "")));
  });
}

RowStatement::RowStatement(std::string_view name, const std::function<std::string(std::size_t rows)>& text)
    : statements_(StatementsOf(name, text)) {}

}  // namespace turnlog
