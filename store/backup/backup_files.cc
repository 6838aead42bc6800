#include "store/backup/backup_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/hash.h"
#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::string_view kFirstLine = "turnlog backup";

template <class Int>
std::optional<Int> ParseNumber(std::string_view text, int base = 10) {
  Int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Removes and returns the text up to `separator`; removes the separator, too.
std::string_view Take(std::string_view& text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// "END TIME FOLDER"
std::optional<BackupEntry> ParseEntry(std::string_view line) {
  const auto end = ParseNumber<std::uint64_t>(Take(line, ' '));
  const auto time = Timestamp::ParseRfc3339(Take(line, ' '));
  if (!end || !time || line.empty()) return std::nullopt;
  return BackupEntry{*end, *time, std::string(line)};
}

}  // namespace

std::string EncodeBackup(std::uint64_t end, Timestamp time) {
  const std::string text = fmt::format("{}\nend {}\ntime {}\n", kFirstLine, end, time.ToRfc3339());
  return text + fmt::format("checksum {:016x}\n", Hash64(text));
}

std::optional<std::uint64_t> DecodeBackup(std::string_view text) {
  const std::size_t checksum = text.rfind("checksum ");
  if (checksum == std::string_view::npos) return std::nullopt;
  std::string_view last = text.substr(checksum);
  Take(last, ' ');
  if (ParseNumber<std::uint64_t>(Take(last, '\n'), 16) != Hash64(text.substr(0, checksum))) return std::nullopt;
  if (Take(text, '\n') != kFirstLine || Take(text, ' ') != "end") return std::nullopt;
  return ParseNumber<std::uint64_t>(Take(text, '\n'));
}

Result<std::uint64_t> ReadBackupEnd(FileSystem& files, const std::filesystem::path& store,
                                    std::vector<Damage>& damage) {
  const std::filesystem::path path = store / kBackupFile;
  if (!TURNLOG_TRY(Exists(files, path))) return 0;
  const auto end = DecodeBackup(TURNLOG_TRY(ReadFile(files, path)));
  if (!end) damage.push_back({.file = std::string(kBackupFile), .reason = "the file does not match its checksum"});
  return end.value_or(0);
}

void BackupRegistry::Put(BackupEntry entry) {
  std::erase_if(entries, [&](const BackupEntry& known) { return known.folder == entry.folder; });
  entries.push_back(std::move(entry));
  std::ranges::sort(entries, {}, &BackupEntry::folder);
}

std::string EncodeRegistry(const BackupRegistry& registry) {
  std::string text = fmt::format("turnlog backups\nerased {}\n", registry.erased);
  for (const BackupEntry& entry : registry.entries) {
    text += fmt::format("backup {} {} {}\n", entry.end, entry.time.ToRfc3339(), entry.folder);
  }
  return text;
}

BackupRegistry DecodeRegistry(std::string_view text) {
  BackupRegistry registry;
  while (!text.empty()) {
    std::string_view line = Take(text, '\n');
    const std::string_view name = Take(line, ' ');
    if (name == "erased") registry.erased = ParseNumber<std::uint64_t>(line).value_or(0);
    if (name != "backup") continue;
    if (auto entry = ParseEntry(line)) registry.Put(*std::move(entry));
  }
  return registry;
}

Result<BackupRegistry> ReadRegistry(FileSystem& files, const std::filesystem::path& store) {
  const auto text = ReadFile(files, store / kBackupsFile);
  if (!text && text.error().code == ErrorCode::kNotFound) return BackupRegistry{};
  return DecodeRegistry(TURNLOG_TRY(text));
}

}  // namespace turnlog
