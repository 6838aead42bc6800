#include "migrate/openai/format.h"

#include <algorithm>
#include <array>

#include "migrate/openai/converter.h"
#include "migrate/openai/items.h"
#include "migrate/records/export_records.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/probe_records.h"

namespace turnlog {
namespace {

constexpr std::string_view kOpenAi = "openai";
constexpr std::array<std::string_view, 3> kLists{"messages", "input", "output"};

// Whether no other format has such a message or item.
bool IsOwn(const JsonObject& record) {
  const bool chat = IsJsonString(record["tool_call_id"]) || record["tool_calls"].starts_with('[');
  if (!IsJsonString(record["type"])) return chat && IsJsonString(record["role"]);
  if (record.String("type") != "message") return IsModelItem(record) || ReadItemOutput(record).has_value();
  return std::ranges::any_of(ElementsOf(record["content"]), [](std::string_view part) {
    const std::string type = JsonObject::Parse(part).value_or(JsonObject()).String("type").value_or("");
    return type == "input_text" || type == "output_text";
  });
}

Match MatchFile(const FileProbe& probe) {
  if (!probe.name.ends_with(".json")) return Match::kNo;
  return std::ranges::any_of(FirstRecords(probe.head, kLists), IsOwn) ? Match::kByContent : Match::kByName;
}

std::unique_ptr<SourceReader> Read(Source& source) {
  SourceFile& file = source.files.front();
  std::vector<RecordFile> files;
  files.push_back({&file, StemOf(file.name()), std::make_unique<OpenAiConverter>(), {}, kLists});
  return std::make_unique<RecordSource>(kOpenAi, std::move(files));
}

Status Export(Log& log, const ConversationId& conversation, const ExportSink& sink, const ExportOptions& options,
              ExportReport& report) {
  return ExportRecords(log, kOpenAi, conversation, sink, options, report);
}

}  // namespace

constinit const Format kOpenAiFormat{
    .name = kOpenAi,
    .description = "JSON documents with chat messages or Responses items of OpenAI's APIs",
    .import = {.match_file = MatchFile, .read = Read, .conversations_of = ConversationOfFile},
    .export_to_stream = Export,
};

}  // namespace turnlog
