#include "doctor/mended_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "migrate/records/json_object.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

struct Row {
  std::string table, id;
  JsonObject columns;
};

std::vector<Row> ReadRows(std::string_view lines) {
  std::vector<Row> rows;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    auto columns = JsonObject::Parse(line);
    if (!columns) continue;
    const std::string_view id = (*columns)["id"];
    Row row{columns->String("table").value_or(""), {}, {}};
    if (id != "null") row.id = IsJsonString(id) ? UnescapeJson(id) : std::string(id);
    row.columns = *std::move(columns);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The text that the value stands for: a text that is a JSON object or array stands for itself.
std::optional<std::string> TextOf(std::string_view value) {
  const bool is_json = value.starts_with('[') ||
                       (value.starts_with('{') && !value.contains("\"$base64\"") && !value.contains("\"$number\""));
  if (is_json) return std::string(value);
  return IsJsonString(value) ? std::optional(UnescapeJson(value)) : std::nullopt;
}

std::optional<RowChange> FindUpdate(const Row& before, const Row& after) {
  RowChange change{.kind = RowChange::Kind::kUpdate, .table = before.table, .id = before.id, .columns = {}};
  for (const auto& [token, value] : after.columns.fields()) {
    const std::string name = UnescapeJson(token);
    const std::string_view old = before.columns[name];
    if (old == value) continue;
    auto from = TextOf(old), to = TextOf(value);
    if (before.id.empty() || !from || !to || name == "structure") return std::nullopt;
    change.columns.push_back({name, *std::move(from), *std::move(to)});
  }
  return change;
}

std::optional<RowChange> Insertion(const Row& row, const Row& previous) {
  RowChange change{.kind = RowChange::Kind::kInsertAfter, .table = row.table, .id = previous.id, .columns = {}};
  for (const auto& [token, value] : row.columns.fields()) {
    const std::string name = UnescapeJson(token);
    if (name == "table" || name == "id") continue;
    auto text = TextOf(value);
    if (!text) return std::nullopt;
    change.columns.push_back({name, {}, *std::move(text)});
  }
  return previous.id.empty() ? std::nullopt : std::optional(std::move(change));
}

}  // namespace

std::optional<std::vector<RowChange>> FindRowChanges(std::string_view before, std::string_view after) {
  std::map<std::pair<std::string, std::string>, const Row*> left;
  const std::vector<Row> old = ReadRows(before), now = ReadRows(after);
  for (const Row& row : old) left.emplace(std::pair(row.table, row.id), &row);
  std::vector<RowChange> changes, insertions;
  const Row* previous = nullptr;
  for (const Row& row : now) {
    const auto known = left.find({row.table, row.id});
    const bool is_new = row.columns["id"] == "null";
    auto change = is_new && previous != nullptr ? Insertion(row, *previous)
                  : known != left.end()         ? FindUpdate(*known->second, row)
                                                : std::nullopt;
    if (!change) return std::nullopt;
    if (is_new) {
      insertions.push_back(*std::move(change));
      continue;
    }
    if (!change->columns.empty()) changes.push_back(*std::move(change));
    previous = &row;
    left.erase(known);
  }
  std::move(insertions.rbegin(), insertions.rend(), std::back_inserter(changes));
  for (const auto& [key, row] : left) {
    if (row->id.empty()) return std::nullopt;
    changes.push_back({.kind = RowChange::Kind::kRemove, .table = row->table, .id = row->id, .columns = {}});
  }
  return changes;
}

}  // namespace turnlog
