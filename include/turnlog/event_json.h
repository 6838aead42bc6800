// The JSON form of events: one object per event, JSON lines for many. README.md and examples/ show every kind.
//
// Exact in both directions: ToJson returns what ParseEvent accepted, including number forms, key order within free-form
// values, unknown fields and unknown kinds. Legacy flat inquiry responses are read; only the tagged form is written.
// For an optional field null means absent, except for `metadata` and `arguments`.
//
// Verbatim events are their own JSON form. Those that are not an object with a `type` (importers keep such elements) or
// have a source text are written as {"tag": type, "verbatim": element}, together with `timestamp`, `event_id` and
// `source_text`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

// Parses and validates one JSON object. Errors name the byte and the field, and never quote a value.
Result<Event> ParseEvent(std::string_view json);

// Parses events without allocating for each: the view borrows from the parser, which copies `json`, and is valid until
// the next call. One thread at a time.
class EventParser {
 public:
  EventParser();
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  Result<EventView> Parse(std::string_view json);
  // The same of a text that the parser takes over: a large one with 64 bytes of capacity to spare is not copied.
  Result<EventView> ParseOwned(std::string json);

  // Envelope fields that turnlog's own exports put around an event ("conversation", "seq"); not part of the event.
  struct Envelope {
    std::optional<std::string_view> conversation;
    std::optional<std::uint64_t> seq;
  };
  const Envelope& envelope() const&;  // of the last Parse
  const Envelope& envelope() const&& = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Appends the event as one line of JSON, without the line break. Verbatim events are written byte for byte, except that
// line breaks between tokens become spaces.
void AppendJson(const EventView& event, std::string& out);
std::string ToJson(const EventView& event);
inline std::string ToJson(const Event& event) { return ToJson(View(event)); }
// The same with the envelope fields first, as `logctl cat` and `logctl export --format jsonl` write them; no `seq` if
// it is 0.
void AppendJson(const EventView& event, std::string_view conversation, Seq seq, std::string& out);

// The marker of an erased event in JSON lines: {"type":"erased","kind":"chat_request"}, an event of unknown kind.
Event ErasedMark(EventKind kind);

}  // namespace turnlog
