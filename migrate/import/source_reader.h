// What a reader of a format gives: one record at a time, from the beginning of a source to its end.
//
// A reader knows no files and no log. It holds no more than one record and what it must remember to understand the
// next, and it gives the same items every time: a source is read once to be checked, and again to be brought in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "turnlog/event.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

// Where something stands in a source.
struct SourcePlace {
  std::string_view file;  // its path, which lives as long as the source
  std::optional<std::uint64_t> element, line, byte;
};

// The place with what is wrong there.
ImportProblem At(const SourcePlace& place, std::string reason);

// An event. Views are valid until the next one is asked for.
struct SourceEvent {
  std::string_view conversation;
  std::optional<Seq> seq;  // that the source says it has
  EventView event;
  SourcePlace place;
  std::string problem;    // why it is quarantined; empty if it is not
  std::string note;       // what was changed on the way; empty if nothing was
  bool redacted = false;  // something that stands in the source must not be written
};

// Something that a conversation has beside its events and that an export gives back: a file, a title, what follows the
// last event. It goes into the record of the import.
struct SourcePart {
  std::string_view conversation;
  std::string name;
  std::string bytes;
};

// Costs a conversation, or all of them if it cannot be told which: what was found there cannot be kept.
struct SourceFault {
  std::optional<std::string> conversation;
  ImportProblem problem;
};

// To be told when the conversation comes in for the first time.
struct SourceNote {
  std::string_view conversation;
  ImportProblem note;
};

struct EndOfSource {};

using SourceItem = std::variant<EndOfSource, SourceEvent, SourcePart, SourceFault, SourceNote>;

class SourceReader {
 public:
  virtual ~SourceReader() = default;
  // Fails if the bytes cannot be read; what is wrong with them is an item.
  virtual Result<SourceItem> Next() = 0;
};

}  // namespace turnlog
