#include "migrate/jp_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "base/file_system.h"
#include "base/hash.h"
#include "base/try.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchive = ".archive";

bool IsDirectory(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The last name of the path, also of "." and "conversation/".
std::string NameOf(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

bool IsConversation(const fs::path& path) { return IsFile(path / "events.json") || IsFile(path / "messages.json"); }

void FindInFolder(const fs::path& folder, bool archived, std::vector<JpPlace>& places,
                  std::vector<ImportProblem>& problems) {
  const auto names = PosixFileSystem().List(folder);
  if (!names) return problems.push_back({folder.string(), {}, {}, {}, names.error().message});
  for (const std::string& name : *names) {
    if (!name.starts_with('.') && IsDirectory(folder / name)) places.push_back({folder / name, archived});
  }
}

}  // namespace

void FindJpConversations(const fs::path& path, std::vector<JpPlace>& places, std::vector<ImportProblem>& problems) {
  if (!IsDirectory(path)) return problems.push_back({path.string(), {}, {}, {}, "not a folder"});
  if (IsConversation(path)) {
    return places.push_back({path, NameOf(path / "..") == kArchive});
  }
  const fs::path folder = IsDirectory(path / "conversations") ? path / "conversations" : path;
  const std::size_t before = places.size();
  FindInFolder(folder, NameOf(folder) == kArchive, places, problems);
  if (IsDirectory(folder / kArchive)) FindInFolder(folder / kArchive, true, places, problems);
  if (places.size() == before) problems.push_back({folder.string(), {}, {}, {}, "no conversations in it"});
}

Result<JpDirectory> ReadJpDirectory(const JpPlace& place) {
  JpDirectory directory{NameOf(place.path), place.archived, {}, {}};
  for (const std::string& name : TURNLOG_TRY(PosixFileSystem().List(place.path))) {
    if (name.ends_with(".tmp") || !IsFile(place.path / name)) continue;
    std::string bytes = TURNLOG_TRY(ReadInput(place.path / name));
    directory.files.emplace(name, std::move(bytes));
  }
  const auto events = directory.files.find("events.json");
  if (events == directory.files.end()) {
    const bool older = directory.files.contains("messages.json");
    return std::unexpected(Error{ErrorCode::kInvalidArgument,
                                 older ? "messages.json: a layout of 2025 that cannot be read yet" : "no events.json"});
  }
  directory.events = std::move(directory.files.extract(events).mapped());
  return directory;
}

Result<ConversationId> JpConversationId(std::string_view directory) {
  constexpr std::int64_t kMaxDeciseconds = std::numeric_limits<std::int64_t>::max() / 100'000'000;
  const std::string_view digits = directory.substr(0, directory.find('-'));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || number > kMaxDeciseconds) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, "the folder's name does not begin with a number of jp's"});
  }
  return ConversationId::Parse(fmt::format("{}", number));
}

std::string Fingerprint(const JpDirectory& directory) {
  std::string parts = fmt::format("{}\n{}\n", directory.name, directory.archived);
  const auto add = [&](std::string_view name, std::string_view bytes) {
    const Hash128 hash = HashId(bytes, bytes.size());
    parts += fmt::format("{}\n{:016x}{:016x}\n", name, hash.high, hash.low);
  };
  add("events.json", directory.events);
  for (const auto& [name, bytes] : directory.files) add(name, bytes);
  const Hash128 hash = HashId(parts, 0);
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

}  // namespace turnlog
