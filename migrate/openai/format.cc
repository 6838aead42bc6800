#include "migrate/openai/format.h"

#include <algorithm>
#include <array>

#include "migrate/openai/converter.h"
#include "migrate/openai/items.h"
#include "migrate/records/document.h"
#include "migrate/records/document_usage.h"
#include "migrate/records/export_records.h"
#include "migrate/records/openai_response.h"
#include "migrate/records/probe_records.h"

namespace turnlog {
namespace {

constexpr std::string_view kOpenAi = "openai";
constexpr std::array<std::string_view, 4> kLists{"messages", "input", "output", "choices"};
constexpr std::array<std::string_view, 8> kSigns{R"("role")",   R"("content")", R"("messages")", R"("input")",
                                                 R"("output")", R"("choices")", R"("call_id")",  R"("output_text")"};

// Whether no other format has such a message or item.
bool IsOwn(const JsonObject& record) {
  if (record["message"].starts_with('{') && !record["finish_reason"].empty()) return true;
  const bool chat = IsJsonString(record["tool_call_id"]) || record["tool_calls"].starts_with('[') ||
                    record["function_call"].starts_with('{');
  const bool item = IsJsonString(record["type"]);
  if (!item && chat && IsJsonString(record["role"])) return true;
  if (item && record.String("type") != "message") return IsModelItem(record) || ReadItemOutput(record).has_value();
  return std::ranges::any_of(ElementsOf(record["content"]), [item](std::string_view text) {
    const JsonObject part = JsonObject::Parse(text).value_or(JsonObject());
    const std::string type = part.String("type").value_or("");
    return item ? type == "input_text" || type == "output_text" : IsThinkingPart(part);
  });
}

Match MatchFile(const FileProbe& probe) { return MatchDocument(probe, kLists, IsOwn); }

std::unique_ptr<SourceReader> Read(Source& source) {
  const std::string head = source.files.front().Head(kProbeBytes).value_or(std::string());
  return ReadDocument(kOpenAi, source, std::make_unique<OpenAiConverter>(TimeOfResponse(head)), kLists);
}

}  // namespace

constinit const Format kOpenAiFormat{
    .name = kOpenAi,
    .description = "JSON documents with chat messages or Responses items of OpenAI's APIs",
    .import =
        {.revision = 7, .match_file = MatchFile, .signs = kSigns, .read = Read, .conversations_of = ConversationOfFile},
    .usage = ReadDocumentUsage<ReadOpenAiUsage>,
    .export_to_stream = ExportRecordsOf<kOpenAi>,
};

}  // namespace turnlog
