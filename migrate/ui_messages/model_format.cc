#include <algorithm>
#include <array>

#include "migrate/records/document.h"
#include "migrate/records/export_records.h"
#include "migrate/records/probe_records.h"
#include "migrate/ui_messages/format.h"
#include "migrate/ui_messages/model_converter.h"

namespace turnlog {
namespace {

constexpr std::string_view kModelMessages = "model-messages";
constexpr std::array<std::string_view, 2> kModelLists{"messages", "prompt"};
constexpr std::array<std::string_view, 4> kModelSigns{R"("role")", R"("content")", R"("messages")", R"("prompt")"};

// A part that no other list of messages has.
bool IsModelPart(std::string_view text) {
  const JsonObject part = JsonObject::Parse(text).value_or(JsonObject());
  const std::string type = part.String("type").value_or("");
  if (type.starts_with("tool-")) return IsJsonString(part["toolCallId"]) || IsJsonString(part["approvalId"]);
  const bool reasons = type == "reasoning" && IsJsonString(part["text"]);
  return reasons || part["providerOptions"].starts_with('{') || IsJsonString(part["mediaType"]);
}

bool IsOfSdk(const JsonObject& message) {
  if (!IsJsonString(message["role"])) return false;
  return message["providerOptions"].starts_with('{') ||
         std::ranges::any_of(ElementsOf(message["content"]), IsModelPart);
}

Match MatchModelFile(const FileProbe& probe) { return MatchDocument(probe, kModelLists, IsOfSdk); }

std::unique_ptr<SourceReader> ReadModelFile(Source& source) {
  return ReadDocument(kModelMessages, source, std::make_unique<ModelMessageConverter>(), kModelLists);
}

}  // namespace

constinit const Format kModelMessagesFormat{
    .name = kModelMessages,
    .description = "JSON documents with ModelMessages of the Vercel AI SDK, which were CoreMessages",
    .import = {.match_file = MatchModelFile,
               .signs = kModelSigns,
               .read = ReadModelFile,
               .conversations_of = ConversationOfFile},
    .export_to_stream = ExportRecordsOf<kModelMessages>,
};

}  // namespace turnlog
