#include "migrate/jp/element.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/try.h"
#include "base/utf8.h"
#include "migrate/import/import_run.h"
#include "migrate/import/quarantine.h"
#include "migrate/jp/time.h"
#include "migrate/jp/writer.h"
#include "schema/event/import_event.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

std::unexpected<JpFault> Bad(std::string reason, std::size_t byte = 0) {
  return std::unexpected(JpFault{std::move(reason), byte});
}

std::optional<std::string> DecodeText(std::string_view text, Base64Alphabet alphabet) {
  auto bytes = DecodeBase64(text, alphabet);
  if (bytes && !IsUtf8(*bytes)) bytes.reset();
  return bytes;
}

// Older versions of jp wrote tool results with the other alphabet.
void DecodeContent(std::string& content) {
  auto decoded = DecodeText(content, Base64Alphabet::kStandard);
  if (!decoded && content.find_first_of("-_") != std::string::npos) {
    decoded = DecodeText(content, Base64Alphabet::kUrlSafe);
  }
  if (decoded) content = *std::move(decoded);
}

void DecodeToken(std::string_view token, std::string& out) {
  const auto decoded = DecodeText(UnescapeJson(token), Base64Alphabet::kStandard);
  if (decoded) {
    AppendJsonString(*decoded, out);
  } else {
    out += token;
  }
}

void DecodeStrings(Json& json) {
  if (json.empty()) return;
  std::string decoded;
  AppendRewritten(json.text(), DecodeToken, decoded);
  json = Json::FromTrusted(std::move(decoded));
}

std::expected<std::optional<Timestamp>, JpFault> TimeOf(std::string_view element) {
  const auto field = FindJsonField(element, "timestamp");
  if (!field) return std::nullopt;
  if (!field->value.starts_with('"')) return Bad("timestamp: must be a string", field->begin);
  const auto time = ParseJpTime(UnescapeJson(field->value));
  if (!time) return Bad("timestamp: not a time such as 2026-03-18 13:19:06.8", field->begin);
  return time;
}

// Blanks the time, which turnlog's own parser would not understand; all other bytes keep their offsets.
void BlankTime(std::string& element) {
  const auto field = FindJsonField(element, "timestamp");
  if (!field) return;
  std::size_t begin = field->begin;
  std::size_t end = SkipJsonSpace(element, field->end);
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
  event.timestamp = TimeOf(text).value_or(std::nullopt);
  event.event_id = FindJsonString(text, "event_id");
  if (event.event_id && (event.event_id->empty() || event.event_id->size() > kMaxIdBytes)) event.event_id.reset();
  return event;
}

// Whether the element contains an answer although it is redacted: the only text of an element that must not be kept.
bool HidesAnswer(const Event& event, std::string_view text) {
  const auto* response = std::get_if<InquiryResponse>(&event.body);
  return response != nullptr && response->outcome == Outcome::kRedacted && FindJsonField(text, "answer");
}

}  // namespace

JpElement JpElementParser::Parse(const RawElement& element, bool first) {
  const bool usual_lead = element.lead == CanonicalLead(first);
  auto event = Read(element.text);
  if (event) {
    if (const Status valid = Validate(View(*event)); !valid) event = Bad(valid.error().message);
  }
  if (!event) {
    const std::string lead(usual_lead ? std::string_view() : element.lead);
    return {MakeQuarantined({event.error().reason, lead, std::string(element.text)}), event.error()};
  }
  scratch_.clear();
  AppendJpElement(View(*event), scratch_);
  if ((!usual_lead || scratch_ != element.text) && !HidesAnswer(*event, element.text)) {
    event->source_text.emplace(element.lead).append(element.text);
  }
  return {*std::move(event), std::nullopt};
}

std::expected<Event, JpFault> JpElementParser::Read(std::string_view text) {
  if (const auto fault = FindJsonFault(text)) return Bad(std::string("JSON: ") + fault->what, fault->byte);
  const std::string tag = FindJsonString(text, "type").value_or("");
  const EventKind kind = KindFromName(tag);
  if (kind == EventKind::kRepair || kind == EventKind::kRedaction || tag == kQuarantinedTag || IsImportTag(tag)) {
    return Bad(fmt::format("`{}` is a kind that only turnlog writes", tag));
  }
  if (IsGlobal(kind)) return ReadVerbatim(text, kind, tag);
  return ReadKnown(text);
}

std::expected<Event, JpFault> JpElementParser::ReadKnown(std::string_view text) {
  const auto time = TURNLOG_TRY(TimeOf(text));
  scratch_ = text;
  BlankTime(scratch_);
  const auto parsed = parser_.Parse(scratch_);
  if (!parsed) {
    const LocatedMessage fault = SplitLocation(parsed.error().message);
    return Bad(std::string(fault.text), fault.byte);
  }
  Event event = Own(*parsed);
  event.timestamp = time;
  event.source_text.reset();
  DecodeStrings(event.metadata);
  if (auto* request = std::get_if<ToolCallRequest>(&event.body)) DecodeStrings(request->arguments);
  if (auto* response = std::get_if<ToolCallResponse>(&event.body)) DecodeContent(response->content);
  return event;
}

void AppendJpElementWithLead(const EventView& event, bool first, std::string& out) {
  const auto quarantined = ReadQuarantined(event);
  const std::string_view source = event.source_text.value_or(std::string_view());
  const std::size_t lead_length = quarantined ? 0 : LeadLength(source);
  std::string_view lead = quarantined ? std::string_view(quarantined->lead) : source.substr(0, lead_length);
  const bool fits = lead.find(first ? '[' : ',') != std::string_view::npos;
  out += fits ? lead : CanonicalLead(first);
  if (quarantined) {
    out += quarantined->raw;
  } else if (source.empty()) {
    AppendJpElement(event, out);
  } else {
    out += source.substr(lead_length);
  }
}

}  // namespace turnlog
