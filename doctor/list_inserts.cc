#include "doctor/list_inserts.h"

#include <fmt/ranges.h>

#include "migrate/records/json_object.h"

namespace turnlog {

ListInserts::Target ListInserts::TargetOf(const SessionRecord& record, std::string_view content) {
  return {.begin = record.Begin(content),
          .end = record.End(content),
          .is_text = IsJsonString(content),
          .is_empty = ElementsOf(content).empty()};
}

void ListInserts::Add(const Target& target, std::string block) {
  const auto added = targets_.emplace(target.begin, std::pair(target, std::vector<std::string>())).first;
  added->second.second.push_back(std::move(block));
}

void ListInserts::Write(TextEdits& edits) const {
  for (const auto& [begin, inserts] : targets_) {
    const auto& [target, blocks] = inserts;
    const std::string text = fmt::format("{}", fmt::join(blocks, ","));
    if (target.is_text) {
      edits.Insert(begin, fmt::format(R"([{},{{"type":"text","text":)", text));
      edits.Insert(target.end, "}]");
    } else {
      edits.Insert(begin + 1, target.is_empty ? text : text + ",");
    }
  }
}

}  // namespace turnlog
