// For recognising formats by their first records and their files' names.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/format.h"
#include "migrate/records/json_object.h"
#include "migrate/sources/source.h"
#include "turnlog/types.h"

namespace turnlog {

// The objects that are in a line, whatever is between them.
std::vector<JsonObject> ObjectsIn(std::string_view line);

// Calls `visit` with each object in the lines of `head`, until it returns true; whether it did.
template <class Visit>
bool AnyRecord(std::string_view head, Visit&& visit) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    if (std::ranges::any_of(ObjectsIn(line), visit)) return true;
  }
  return false;
}

// Of a head of kProbeBytes: the record that it cuts, closed after what is there of it; empty: there is none. The first
// record may be larger than a head, with an image for example.
std::string CutRecordOf(std::string_view head);

// AnyRecord over a file's first records: further ones are read only if these do not suffice, and then visited again.
template <class Visit>
bool AnyFirstRecord(SourceFile& file, Visit&& visit) {
  const std::string head = file.Head(kProbeBytes).value_or(std::string());
  if (AnyRecord(head, visit)) return true;
  return head.size() == kProbeBytes && AnyRecord(file.Head(kMoreProbeBytes).value_or(std::string()), visit);
}

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
// The id of a conversation that has that of its file: what an id cannot have becomes a visible escape such as \xff.
std::string IdOfFile(std::string_view name);

}  // namespace turnlog
