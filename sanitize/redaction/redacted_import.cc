#include "sanitize/redaction/redacted_import.h"

#include <algorithm>
#include <set>
#include <vector>

#include "schema/event/import_event.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// The tokens of a part's name and contents.
struct Part {
  std::string_view name, value;

  bool operator==(const Part&) const = default;
};

// The parts, or in records of older versions the files.
std::vector<Part> PartsOf(std::string_view json, std::string_view field) {
  std::vector<Part> parts;
  const auto found = FindJsonField(json, field);
  if (!found || !found->value.starts_with('{')) return parts;
  for (JsonFields fields(found->value); fields.Next().value_or(false);) parts.push_back({fields.key(), fields.value()});
  return parts;
}

// The names of parts with other contents than before. A name may be redacted, too: they are in the same order, unless
// one was removed as a whole.
void AddChanged(const std::vector<Part>& before, const std::vector<Part>& now, std::string_view prefix,
                std::set<std::string>& names) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool same = before.size() == now.size() ? before[i].value == now[i].value
                                                  : std::ranges::find(before, now[i]) != before.end();
    if (!same) names.insert(std::string(prefix) + UnescapeJson(now[i].name));
  }
}

std::set<std::string> RedactedNames(std::string_view before, std::string_view redacted) {
  std::set<std::string> names;
  if (const auto marked = FindJsonField(redacted, kImportRedactedParts); marked && marked->value.starts_with('[')) {
    for (JsonElements known(marked->value); known.Next().value_or(false);) names.insert(UnescapeJson(known.value()));
  }
  AddChanged(PartsOf(before, "parts"), PartsOf(redacted, "parts"), "", names);
  AddChanged(PartsOf(before, "files"), PartsOf(redacted, "files"), "files/", names);
  for (const std::string_view field : {"base_config", "trailer"}) {  // of older versions
    const auto was = FindJsonField(before, field), is = FindJsonField(redacted, field);
    if (was && is && was->value != is->value) names.emplace(field);
  }
  return names;
}

}  // namespace

std::string MarkRedactedParts(std::string_view before, std::string_view redacted) {
  std::string list;
  for (const std::string& name : RedactedNames(before, redacted)) {
    if (!list.empty()) list.push_back(',');
    AppendJsonString(name, list);
  }
  std::string marked;
  marked.reserve(redacted.size() + list.size() + 64);  // so that no unwiped copy is left
  const auto known = FindJsonField(redacted, kImportRedactedParts);
  // With the comma before it. It comes first only in records that turnlog did not write: then it stays.
  const std::size_t comma = known ? redacted.rfind(',', known->begin) : redacted.size() - 1;
  const bool stays = comma == std::string_view::npos;
  marked.append(redacted.substr(0, stays ? redacted.size() - 1 : comma));
  if (known && !stays) marked.append(redacted.substr(known->end, redacted.size() - 1 - known->end));
  const auto append_field = [&](std::string_view name, std::string_view value) {
    marked.append(",\"").append(name).append("\":").append(value);
  };
  if (!FindJsonField(redacted, kImportRedacted)) append_field(kImportRedacted, "true");
  if (!list.empty() && !stays) append_field(kImportRedactedParts, "[" + list + "]");
  return marked.append("}");
}

}  // namespace turnlog
