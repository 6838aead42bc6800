#include "migrate/ui_messages/format.h"

#include <algorithm>
#include <array>

#include "migrate/records/export_records.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/probe_records.h"
#include "migrate/ui_messages/converter.h"

namespace turnlog {
namespace {

constexpr std::string_view kUiMessages = "ui-messages";
constexpr std::array<std::string_view, 1> kLists{"messages"};

bool IsUiMessage(const JsonObject& message) {
  if (!IsJsonString(message["id"]) || !IsJsonString(message["role"])) return false;
  if (message["toolInvocations"].starts_with('[')) return true;
  return std::ranges::any_of(ElementsOf(message["parts"]), [](std::string_view part) {
    return IsJsonString(JsonObject::Parse(part).value_or(JsonObject())["type"]);
  });
}

Match MatchFile(const FileProbe& probe) {
  if (!probe.name.ends_with(".json")) return Match::kNo;
  return std::ranges::any_of(FirstRecords(probe.head, kLists), IsUiMessage) ? Match::kByContent : Match::kByName;
}

std::unique_ptr<SourceReader> Read(Source& source) {
  SourceFile& file = source.files.front();
  std::vector<RecordFile> files;
  files.push_back({&file, StemOf(file.name()), std::make_unique<UiMessageConverter>(), {}, kLists});
  return std::make_unique<RecordSource>(kUiMessages, std::move(files));
}

Status Export(Log& log, const ConversationId& conversation, const ExportSink& sink, const ExportOptions& options,
              ExportReport& report) {
  return ExportRecords(log, kUiMessages, conversation, sink, options, report);
}

}  // namespace

constinit const Format kUiMessagesFormat{
    .name = kUiMessages,
    .description = "JSON documents with UIMessages of the Vercel AI SDK, versions 4 to 6",
    .import = {.match_file = MatchFile, .read = Read, .conversations_of = ConversationOfFile},
    .export_to_stream = Export,
};

}  // namespace turnlog
