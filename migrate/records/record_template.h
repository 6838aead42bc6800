// Templates: how the bytes of a record are kept beside the events that it became, without keeping its texts twice.
// The first event of a record has as its `source_text` the bytes of the record, with a mark for each text that an
// event has. The marks are control characters, which valid JSON never contains unescaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// The text of an event that a mark refers to. Stored: never change a letter.
enum class Slot : char {
  kContent = 'c',        // of a message or a tool result, as a JSON string
  kJson = 'j',           // the content of a tool result, which is JSON text
  kArguments = 'a',      // of a tool call
  kArgumentsText = 't',  // of a tool call, as a JSON string that holds JSON
  kInput = 'i',          // `input` of the arguments of a tool call
  kOpaque = 'o',         // `opaque` of the metadata
  kSummary = 's',        // of a compaction
  kRecord = 'r',         // of a foreign event
  kText = 'x',           // of a foreign event whose record is a JSON string: what it stands for
};

struct TemplateSlot {
  Slot slot{};
  std::size_t event = 0;           // index among the events of the record
  std::size_t begin = 0, end = 0;  // in the record
  bool reproduces = false;         // known; otherwise it is tried
};

// A template of `record`, which became `events`; `lead` precedes it in its file. A slot whose bytes the event does not
// reproduce exactly stays as text.
std::string MakeTemplate(std::string_view lead, std::string_view record, std::vector<TemplateSlot> slots,
                         std::span<const Event> events);

// Reads a template from its beginning to its end, as the events of its record come.
class TemplateFiller {
 public:
  // REQUIRES: `text` outlives the filler, or Begin is called again.
  void Begin(std::string_view text) {
    rest_ = text;
    in_first_ = true;
    missing_seals_.clear();
  }
  // Whether the record has another event.
  bool wants_event() const { return !rest_.empty(); }
  // Appends the bytes from this event's first mark up to the next event.
  void Add(const EventView& event, std::string& out);
  // Where in `out` are the opaque values that a redaction removed from their events: `null` until their blocks are
  // removed, too. Of this record.
  const std::vector<std::size_t>& missing_seals() const { return missing_seals_; }

 private:
  std::string_view rest_;
  bool in_first_ = true;  // no event has come yet: a mark that begins the text says that the first has none of it
  std::vector<std::size_t> missing_seals_;
};

}  // namespace turnlog
