#include "migrate/jp/format.h"

#include <algorithm>
#include <cctype>

#include "migrate/import/source.h"
#include "migrate/jp/array.h"
#include "migrate/jp/export.h"
#include "migrate/jp/reader.h"
#include "migrate/jp/record.h"

namespace turnlog {
namespace {

bool BeginsArray(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '[';
}

Match MatchFolder(const FolderProbe& probe) {
  const auto has = [&](std::string_view name) { return std::ranges::find(probe.names, name) != probe.names.end(); };
  for (const std::string_view events : {kJpEventsFile, kJpMessagesFile}) {
    if (!has(events)) continue;
    // The events may be damaged.
    const bool is_jp = BeginsArray(probe.head(events)) ||
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
    .import = {.match_folder = MatchFolder,
               .uses_file = UsesFile,
               .hidden_folder = ".archive",
               .read = Read,
               .conversations_of = ConversationsOf,
               .same_part = IsSameJpPart,
               .has_templates = false},
    .export_to_folder = ExportJp,
    .has_layouts = true,
};

}  // namespace turnlog
