#include "migrate/ui_messages/format.h"

#include <algorithm>
#include <array>

#include "migrate/records/document.h"
#include "migrate/records/export_records.h"
#include "migrate/records/probe_records.h"
#include "migrate/ui_messages/converter.h"

namespace turnlog {
namespace {

constexpr std::string_view kUiMessages = "ui-messages";
constexpr std::array<std::string_view, 1> kLists{"messages"};
constexpr std::array<std::string_view, 3> kSigns{R"("role")", R"("parts")", R"("messages")"};

bool IsUiMessage(const JsonObject& message) {
  if (!IsJsonString(message["id"]) || !IsJsonString(message["role"])) return false;
  if (message["toolInvocations"].starts_with('[')) return true;
  return std::ranges::any_of(ElementsOf(message["parts"]), [](std::string_view part) {
    return IsJsonString(JsonObject::Parse(part).value_or(JsonObject())["type"]);
  });
}

Match MatchFile(const FileProbe& probe) { return MatchDocument(probe, kLists, IsUiMessage); }

std::unique_ptr<SourceReader> Read(Source& source) {
  return ReadDocument(kUiMessages, source, std::make_unique<UiMessageConverter>(), kLists);
}

}  // namespace

constinit const Format kUiMessagesFormat{
    .name = kUiMessages,
    .description = "JSON documents with UIMessages of the Vercel AI SDK, versions 4 to 6",
    .import = {.revision = 7,
               .match_file = MatchFile,
               .signs = kSigns,
               .read = Read,
               .conversations_of = ConversationOfFile,
               .may_wait = true,
               .meaning_of_record = LastingPartOfUiMessage},
    .export_to_stream = ExportRecordsOf<kUiMessages>,
};

}  // namespace turnlog
