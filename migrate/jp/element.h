// One element of a jp events.json as an event.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/jp/message_pair.h"
#include "migrate/records/json_array.h"
#include "schema/json/json_scan.h"
#include "turnlog/event.h"
#include "turnlog/event_json.h"

namespace turnlog {

struct JpFault {
  std::string reason;
  std::size_t byte = 0;  // of the element
};

struct JpElement {
  std::vector<Event> events;     // at least one; several of a message pair
  std::optional<JpFault> fault;  // why it is quarantined
  std::string_view note;         // what was changed to read it; the original bytes are kept
};

// The source text of an event whose bytes are in the quarantined event before it: the template of no bytes.
inline constexpr std::string_view kWrittenBefore = "\x02";

// One thread at a time.
class JpElementParser {
 public:
  // Whether it is an element that is read at once (ReadPlainJpElement), with the usual lead: the next call of Parse
  // must be for it, and returns it.
  bool ReadPlain(const RawElement& element, ElementContext context);
  // Never fails: an unreadable element is quarantined. The event gets a source text unless the canonical lead and
  // AppendJpElement reproduce the bytes. `fault`: of the element's JSON.
  JpElement Parse(const RawElement& element, ElementContext context, const std::optional<JsonFault>& fault);
  JpElement Parse(const RawElement& element, ElementContext context) {
    return Parse(element, context, FindJsonFault(element.text));
  }

 private:
  JpElement ParseValid(const RawElement& element, ElementContext context);
  JpElement ParseInvalid(const RawElement& element, ElementContext context, const JsonFault& fault);
  std::expected<Event, JpFault> Read(std::string_view text);
  std::expected<Event, JpFault> ReadKnown(std::string_view text);

  EventParser parser_;
  std::string scratch_;
  std::optional<Event> plain_;  // that was read and not returned
};

}  // namespace turnlog
