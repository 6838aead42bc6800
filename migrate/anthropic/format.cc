#include "migrate/anthropic/format.h"

#include <algorithm>
#include <array>
#include <string>

#include "migrate/anthropic/converter.h"
#include "migrate/records/document.h"
#include "migrate/records/document_usage.h"
#include "migrate/records/export_records.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/probe_records.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

constexpr std::string_view kAnthropic = "anthropic";
constexpr std::array<std::string_view, 2> kLists{"messages", "content"};
constexpr std::array<std::string_view, 4> kSigns{R"("role")", R"("content")", R"("messages")", R"("assistant")"};

// A block that no other format has. What Mistral's models think is a list.
bool IsOwnBlock(std::string_view text) {
  const JsonObject block = JsonObject::Parse(text).value_or(JsonObject());
  const std::string type = block.String("type").value_or("");
  if (type == "thinking") return IsJsonString(block["thinking"]);
  return type.ends_with("tool_use") || type.ends_with("tool_result") || type == "redacted_thinking";
}

bool HasOwnBlock(const JsonObject& message) { return std::ranges::any_of(ElementsOf(message["content"]), IsOwnBlock); }

// A response, which may have no blocks: that of a refusal.
bool IsResponse(std::string_view head) {
  return FindJsonString(head, "type") == "message" && FindJsonString(head, "role") == "assistant" &&
         FindJsonString(head, "id").value_or("").starts_with("msg_");
}

// Histories of Cline look like these, but have results as text.
bool IsFromCline(const JsonObject& message) { return !message["ts"].empty() || !message["modelInfo"].empty(); }

Match MatchFile(const FileProbe& probe) {
  if (!probe.name.ends_with(".json")) return Match::kNo;
  const std::vector<JsonObject> records = FirstRecords(probe.head, kLists, HasOwnBlock);
  if (std::ranges::any_of(records, IsFromCline)) return Match::kByName;
  if (IsResponse(probe.head)) return Match::kByContent;
  const std::string_view header = probe.head.substr(0, FindList(probe.head, kLists).begin);
  const bool is_response = header.contains("\"role\"") && header.contains("\"assistant\"");
  const bool found = std::ranges::any_of(records, [&](const JsonObject& record) {
    const auto role = record.String("role");
    return role ? HasOwnBlock(record) : is_response && IsJsonString(record["type"]);
  });
  return found ? Match::kByContent : Match::kByName;
}

std::unique_ptr<SourceReader> Read(Source& source) {
  const std::string head = source.files.front().Head(kProbeBytes).value_or(std::string());
  return ReadDocument(kAnthropic, source, std::make_unique<AnthropicConverter>(IsResponse(head)), kLists);
}

}  // namespace

constinit const Format kAnthropicFormat{
    .name = kAnthropic,
    .description = "JSON documents with messages of Anthropic's API: requests, responses, arrays",
    .import =
        {.revision = 4, .match_file = MatchFile, .signs = kSigns, .read = Read, .conversations_of = ConversationOfFile},
    .usage = ReadDocumentUsage<ReadAnthropicUsage>,
    .export_to_stream = ExportRecordsOf<kAnthropic>,
};

}  // namespace turnlog
