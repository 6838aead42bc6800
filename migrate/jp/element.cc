#include "migrate/jp/element.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "base/try.h"
#include "migrate/jp/array.h"
#include "migrate/jp/base64_text.h"
#include "migrate/jp/plain_element.h"
#include "migrate/jp/time.h"
#include "migrate/jp/tool_answers.h"
#include "migrate/jp/writer.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/json_array.h"
#include "migrate/records/json_object.h"
#include "migrate/records/salvage.h"
#include "migrate/sources/located_message.h"
#include "schema/event/import_event.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

std::unexpected<JpFault> Bad(std::string reason, std::size_t byte = 0) {
  return std::unexpected(JpFault{std::move(reason), byte});
}

std::expected<std::optional<Timestamp>, JpFault> TimeIn(const std::optional<JsonField>& field) {
  if (!field) return std::nullopt;
  if (!field->value.starts_with('"')) return Bad("timestamp: must be a string", field->begin);
  const auto time = ParseJpTime(UnescapeJson(field->value));
  if (!time) return Bad("timestamp: not a time such as 2026-03-18 13:19:06.8", field->begin);
  return time;
}

// Blanks the time, which turnlog's own parser would not understand; all other bytes keep their offsets.
void BlankTime(const JsonField& field, std::string& element) {
  std::size_t begin = field.begin;
  std::size_t end = SkipJsonSpace(element, field.end);
  if (element[end] == ',') {
    ++end;
  } else if (const std::size_t before = element.find_last_not_of(" \t\r\n", begin - 1); element[before] == ',') {
    begin = before;
  }
  std::fill(element.begin() + static_cast<std::ptrdiff_t>(begin), element.begin() + static_cast<std::ptrdiff_t>(end),
            ' ');
}

Event ReadVerbatim(std::string_view text, EventKind kind, std::string tag) {
  Event event;
  event.body = Verbatim{kind, std::move(tag), Json::FromTrusted(std::string(text))};
  event.timestamp = TimeIn(FindJsonField(text, "timestamp")).value_or(std::nullopt);
  event.event_id = FindJsonString(text, "event_id");
  if (event.event_id && (event.event_id->empty() || event.event_id->size() > kMaxIdBytes)) event.event_id.reset();
  return event;
}

// Whether the element contains an answer although it is redacted: the only text of an element that must not be kept.
bool HidesAnswer(const Event& event, std::string_view text) {
  const auto* response = std::get_if<InquiryResponse>(&event.body);
  return response != nullptr && response->outcome == Outcome::kRedacted && FindJsonField(text, "answer");
}

// The element with the last value of each field; nothing if it repeats none.
std::optional<std::string> WithoutRepeats(std::string_view text) {
  const JsonObject object = JsonObject::Parse(text).value_or(JsonObject());
  std::unordered_set<std::string> names;
  std::vector<std::string> fields;
  for (const auto& [name, value] : std::views::reverse(object.fields())) {
    if (names.insert(UnescapeJson(name)).second) fields.push_back(fmt::format("{}:{}", name, value));
  }
  if (fields.size() == object.fields().size()) return std::nullopt;
  return fmt::format("{{{}}}", fmt::join(std::views::reverse(fields), ","));
}

Event Quarantine(const RawElement& element, ElementContext context, const JpFault& fault) {
  Quarantined piece{.reason = fault.reason, .lead = {}, .raw = std::string(element.text), .bare = false};
  if (element.lead == CanonicalLead(context.begins_file)) return MakeQuarantined(piece);
  piece.bare = !HasMark(element.lead);
  if (piece.bare) {
    piece.raw.insert(0, element.lead);
  } else {
    piece.lead = element.lead;
  }
  return MakeQuarantined(piece);
}

}  // namespace

bool JpElementParser::ReadPlain(const RawElement& element, ElementContext context) {
  if (element.lead != CanonicalLead(context.begins_file)) return false;
  plain_ = ReadPlainJpElement(element.text);
  if (plain_ && !Validate(View(*plain_))) plain_.reset();
  return plain_.has_value();
}

JpElement JpElementParser::Parse(const RawElement& element, ElementContext context,
                                 const std::optional<JsonFault>& fault) {
  if (plain_) return {{*std::exchange(plain_, {})}, {}, {}};
  if (fault) return ParseInvalid(element, context, *fault);
  if (std::vector<Event> pair = ReadMessagePair(element, context); !pair.empty()) return {std::move(pair), {}, {}};
  return ParseValid(element, context);
}

JpElement JpElementParser::ParseValid(const RawElement& element, ElementContext context) {
  auto event = Read(element.text);
  const auto once = event ? std::nullopt : WithoutRepeats(element.text);
  if (once) event = Read(*once);
  if (event) {
    if (const Status valid = Validate(View(*event)); !valid) event = Bad(valid.error().message);
  }
  if (!event) return {{Quarantine(element, context, event.error())}, event.error(), {}};
  const bool usual =
      element.lead == CanonicalLead(context.begins_file) && IsJpElementOf(element.text, View(*event), scratch_);
  if (!usual && !HidesAnswer(*event, element.text)) event->source_text.emplace(element.lead).append(element.text);
  return {{*std::move(event)}, {}, once ? "a field is given twice: the last value is used" : ""};
}

// An element with bytes that are not text is read without them; its original bytes come before it.
JpElement JpElementParser::ParseInvalid(const RawElement& element, ElementContext context, const JsonFault& fault) {
  const JpFault reason{std::string("JSON: ") + fault.what, fault.byte};
  const auto repaired = RepairText(element.text);
  JpElement read;
  if (repaired) read = Parse({element.lead, *repaired}, context, std::nullopt);
  if (!repaired || read.fault) return {{Quarantine(element, context, reason)}, reason, {}};
  for (Event& event : read.events) event.source_text = kWrittenBefore;
  read.events.insert(read.events.begin(), Quarantine(element, context, reason));
  read.note = kTextReplaced;
  return read;
}

std::expected<Event, JpFault> JpElementParser::Read(std::string_view text) {
  const std::string tag = FindJsonString(text, "type").value_or("");
  const EventKind kind = KindFromName(tag);
  if (kind == EventKind::kRepair || kind == EventKind::kRedaction || tag == kQuarantinedTag || IsImportTag(tag)) {
    return Bad(fmt::format("`{}` is a kind that only turnlog writes", tag));
  }
  if (IsGlobal(kind)) return ReadVerbatim(text, kind, tag);
  return ReadKnown(text);
}

std::expected<Event, JpFault> JpElementParser::ReadKnown(std::string_view text) {
  const auto field = FindJsonField(text, "timestamp", JsonTrust::kValid);
  const auto time = TURNLOG_TRY(TimeIn(field));
  if (field) {
    scratch_ = text;
    BlankTime(*field, scratch_);
  }
  const auto parsed = parser_.Parse(field ? std::string_view(scratch_) : text);
  if (!parsed) {
    const LocatedMessage fault = SplitLocation(parsed.error().message);
    return Bad(std::string(fault.text), fault.byte);
  }
  Event event = Own(*parsed);
  event.timestamp = time;
  event.source_text.reset();
  DecodeJpStrings(event.metadata);
  if (auto* request = std::get_if<ToolCallRequest>(&event.body)) {
    TakeToolAnswers(event.extra, request->arguments);
    DecodeJpStrings(request->arguments);
  }
  if (auto* response = std::get_if<ToolCallResponse>(&event.body)) DecodeJpContent(response->content);
  return event;
}

}  // namespace turnlog
