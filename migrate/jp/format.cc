#include "migrate/jp/format.h"

#include <algorithm>
#include <cctype>

#include "migrate/jp/array.h"
#include "migrate/jp/export.h"
#include "migrate/jp/message_pair.h"
#include "migrate/jp/reader.h"
#include "migrate/jp/record.h"
#include "migrate/jp/saved_again.h"
#include "migrate/records/json_array.h"
#include "migrate/records/torn_document.h"
#include "migrate/sources/source.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

bool IsOfKnownKind(const JsonObject& element) {
  const auto type = element.String("type");
  return type ? KindFromName(*type) != EventKind::kUnknown || IsHalfPair(*type) : IsJpElement(element);
}

// Whether the first element is one of jp: other programs have arrays under these names, too.
bool BeginsWithElement(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t array = SkipJsonSpace(head, 0);
  if (!head.substr(array).starts_with('[')) return false;
  head.remove_prefix(SkipJsonSpace(head, array + 1));
  const auto end = ScanJson(head);
  const auto cut = end ? std::nullopt : CloseDocument(head);
  std::string text(head.substr(0, cut ? cut->end : end.value_or(0)));
  if (cut) text += cut->closing;
  const auto element = JsonObject::Parse(text);
  if (!element) return false;
  return IsOfKnownKind(*element) || (cut && !(*element)["timestamp"].empty());  // the rest may be long
}

Match MatchFolder(const FolderProbe& probe) {
  const auto has = [&](std::string_view name) { return std::ranges::find(probe.names, name) != probe.names.end(); };
  for (const std::string_view events : {kJpEventsFile, kJpMessagesFile}) {
    if (!has(events)) continue;
    // The events may be damaged, or there are none yet.
    const bool is_jp = has("base_config.json") || BeginsWithElement(probe.head(events)) ||
                       (has("metadata.json") && probe.head("metadata.json").contains("\"last_activated_at\""));
    return JpConversationId(probe.name) && is_jp ? Match::kByContent : Match::kByName;
  }
  const bool among_conversations = probe.folder == "conversations" || probe.folder == ".archive";
  const bool hidden = probe.name.starts_with('.');
  return among_conversations && !hidden ? Match::kByName : Match::kNo;
}

// Ignores remains of an interrupted save.
bool UsesFile(std::string_view name) { return !name.ends_with(".tmp"); }

std::unique_ptr<SourceReader> Read(Source& source) { return std::make_unique<JpReader>(source); }

std::vector<ConversationId> ConversationsOf(const Source& source) {
  auto id = JpConversationId(source.name);
  if (!id) return {};
  return {*std::move(id)};
}

}  // namespace

constinit const Format kJpFormat{
    .name = "jp",
    .description = "conversations of jp: one folder each, or a folder of them, or a whole .jp",
    .import = {.revision = 2,
               .match_folder = MatchFolder,
               .uses_file = UsesFile,
               .hidden_folder = ".archive",
               .read = Read,
               .conversations_of = ConversationsOf,
               .same_part = IsSameJpPart,
               .is_saved_again = IsSavedAgainByJp,
               .has_templates = false},
    .export_to_folder = ExportJp,
    .has_layouts = true,
};

}  // namespace turnlog
