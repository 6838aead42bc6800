#include "migrate/logged/quarantine.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_writer.h"

namespace turnlog {

Event MakeQuarantined(const Quarantined& piece) {
  std::string json = R"({"type":"quarantined","reason":)";
  AppendJsonString(piece.reason, json);
  if (!piece.lead.empty()) AppendJsonString(piece.lead, json += R"(,"lead":)");
  if (piece.bare) json += R"(,"bare":true)";
  if (IsUtf8(piece.raw)) {
    AppendJsonString(piece.raw, json += R"(,"raw":)");
  } else {
    AppendBase64(piece.raw, json += R"(,"raw_base64":")");
    json.push_back('"');
  }
  json.push_back('}');
  Event event;
  event.body = Verbatim{EventKind::kUnknown, std::string(kQuarantinedTag), Json::FromTrusted(std::move(json))};
  return event;
}

bool IsQuarantined(const EventView& event) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  return verbatim != nullptr && verbatim->tag == kQuarantinedTag;
}

std::optional<Quarantined> ReadQuarantined(const EventView& event) {
  if (!IsQuarantined(event)) return std::nullopt;
  const std::string_view json = std::get<VerbatimView>(event.body).json.text();
  auto raw = FindJsonString(json, "raw");
  if (!raw) {
    const auto encoded = FindJsonString(json, "raw_base64");
    raw = encoded ? DecodeBase64(*encoded) : std::nullopt;
  }
  if (!raw) return std::nullopt;
  return Quarantined{.reason = FindJsonString(json, "reason").value_or(""),
                     .lead = FindJsonString(json, "lead").value_or(""),
                     .raw = *std::move(raw),
                     .bare = FindJsonField(json, "bare").value_or(JsonField{}).value == "true"};
}

}  // namespace turnlog
