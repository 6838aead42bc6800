// What the storage folder has without the session or the message that it belongs to: opencode does not show it.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/opencode/id_order.h"
#include "migrate/opencode/storage.h"
#include "migrate/records/probe_records.h"
#include "migrate/sources/folder_entries.h"
#include "migrate/sources/folder_indexes.h"
#include "migrate/sources/source.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

using FileNames = std::set<std::string, std::less<>>;

FolderEntries EntriesOf(const fs::path& folder) {
  auto entries = ListEntries(folder);
  return entries ? *std::move(entries) : FolderEntries();
}

// The JSON files in a folder and in those in it.
void AddJsonFiles(const fs::path& folder, std::vector<fs::path>& files) {
  const FolderEntries entries = EntriesOf(folder);
  for (const std::string& name : entries.files) {
    if (name.ends_with(".json")) files.push_back(folder / name);
  }
  for (const std::string& name : entries.folders) AddJsonFiles(folder / name, files);
}

// Folders that are not named after one of the files, nor after the id that one of them says it has.
std::vector<std::string> FoldersWithout(const std::vector<fs::path>& files, std::vector<std::string> folders) {
  FileNames names;
  for (const fs::path& file : files) names.insert(StemOf(file.filename().native()));
  const FileNames all(folders.begin(), folders.end());
  std::erase_if(folders, [&](const std::string& folder) { return names.contains(folder); });
  for (const fs::path& file : files) {
    if (folders.empty()) break;
    if (all.contains(StemOf(file.filename().native()))) continue;
    const auto head = SourceFile(file, false).Head(kProbeBytes);
    const auto id = head ? FindJsonString(*head, "id") : std::nullopt;
    std::erase_if(folders, [&](const std::string& folder) { return id == folder; });
  }
  return folders;
}

}  // namespace

std::vector<std::string> FindUnownedOfOpencode(const fs::path& storage, FolderIndexes& indexes) {
  std::vector<fs::path> sessions, messages;
  AddJsonFiles(storage / "session", sessions);
  const std::vector<std::string> folders = EntriesOf(storage / "message").folders;
  std::vector<std::string> unowned;
  const std::vector<std::string> lost = FoldersWithout(sessions, folders);
  for (const std::string& name : lost) unowned.push_back("message/" + name);
  for (const std::string& name : folders) {
    if (std::ranges::find(lost, name) == lost.end()) AddJsonFiles(storage / "message" / name, messages);
  }
  const FolderEntries parts = EntriesOf(storage / "part");
  for (const std::string& name : FoldersWithout(messages, parts.folders)) unowned.push_back("part/" + name);
  if (parts.files.empty()) return unowned;
  const auto loose = indexes.Find(storage / "part", "messageID");
  std::vector<std::string> of_messages;
  for (const auto& [message, files] : *loose) of_messages.push_back(message);
  for (const std::string& message : FoldersWithout(messages, std::move(of_messages))) {
    for (const std::string& file : loose->at(message)) unowned.push_back("part/" + file);
  }
  return unowned;
}

}  // namespace turnlog
