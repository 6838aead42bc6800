// For recognising formats by their first records and their files' names.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/import/source.h"
#include "migrate/records/json_object.h"
#include "turnlog/types.h"

namespace turnlog {

// Calls `visit` with each object that is a line of `head`, until it returns true; whether it did.
template <class Visit>
bool AnyRecord(std::string_view head, Visit&& visit) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    const std::size_t begin = std::min(line.find('{'), line.size());
    const std::size_t end = line.find_last_of('}') + 1;
    const auto object = JsonObject::Parse(line.substr(begin, end > begin ? end - begin : 0));
    if (object && visit(*object)) return true;
  }
  return false;
}

// Of a head of kProbeBytes: the record that it cuts, closed after what is there of it; empty: there is none. The first
// record may be larger than a head, with an image for example.
std::string CutRecordOf(std::string_view head);

// AnyRecord, with the record that the head cuts.
template <class Visit>
bool AnyRecordOrCut(std::string_view head, Visit&& visit) {
  return AnyRecord(head, visit) || AnyRecord(CutRecordOf(head), visit);
}

// As 0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.
bool IsUuid(std::string_view text);

// The conversation of a source that has the name of its file; none if that is no name of a conversation.
std::vector<ConversationId> ConversationOfFile(const Source& source);

// The file's name without its folders and its last extension.
std::string StemOf(std::string_view name);

}  // namespace turnlog
