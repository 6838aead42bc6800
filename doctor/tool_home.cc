#include "doctor/tool_home.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "turnlog/migrate/resume.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTools{SessionTool::kClaude, SessionTool::kCodexCli, SessionTool::kOpencodeCli,
                            SessionTool::kGeminiCli};

// The first of these folders upwards that has this name.
fs::path FolderNamed(std::string_view name, fs::path folder, int levels) {
  for (; levels > 0; --levels, folder = folder.parent_path()) {
    if (folder.filename() == name) return folder;
  }
  return {};
}

fs::path Canonical(const fs::path& path) {
  std::error_code error;
  fs::path canonical = fs::canonical(path, error);
  return error ? fs::path() : canonical;
}

fs::path Variable(const char* name) {
  const char* const value = name == nullptr ? nullptr : std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

}  // namespace

fs::path FindSessionsFolder(std::string_view format, const fs::path& folder) {
  if (format == "claude-code" && folder.parent_path().filename() == "projects") return folder.parent_path();
  if (format == "codex") {
    const fs::path archived = FolderNamed("archived_sessions", folder, 1);
    return archived.empty() ? FolderNamed("sessions", folder, 4) : archived;  // sessions/2026/08/01
  }
  if (format == "gemini" && folder.filename() == "chats") return FolderNamed("tmp", folder.parent_path(), 2);
  const bool is_stored = format == "opencode" && folder.parent_path().filename() == "session";
  return is_stored ? FolderNamed("storage", folder.parent_path().parent_path(), 1) : fs::path();
}

bool IsToolHome(std::string_view format, const fs::path& home) {
  const auto* const tool = std::ranges::find(kTools, format, [](SessionTool each) { return ToString(each); });
  const fs::path users = Variable("HOME");
  // Not all that the user has, or all users have.
  if (tool == kTools.end() || !home.has_relative_path() || home.filename() == "tmp") return false;
  if (home == Canonical(users)) return false;
  if (home.filename() == ToolRoot(*tool, users).filename()) return true;
  const fs::path named = Variable(ToolRootVariable(*tool));
  if (!named.empty() && home == Canonical(ToolRootFrom(*tool, named))) return true;
  return !users.empty() && home == Canonical(ToolRoot(*tool, users));
}

std::string_view ToolOfHome(const fs::path& home) {
  for (const SessionTool tool : kTools) {
    if (IsToolHome(ToString(tool), home)) return ToString(tool);
  }
  return {};
}

std::vector<fs::path> OutsideToolHome(std::string_view format, const fs::path& home) {
  std::vector<fs::path> outside;
  std::error_code ignored;
  // The settings, with prompts of earlier versions, and their copies.
  if (format == "claude-code" && home.filename() == ".claude") {
    for (const auto& entry : fs::directory_iterator(home.parent_path(), ignored)) {
      if (entry.path().filename().string().starts_with(".claude.json")) outside.push_back(entry.path());
    }
  }
  if (format != "opencode") return outside;
  const fs::path data = home.parent_path(), users = data.parent_path().parent_path();
  const auto add = [&](const fs::path& folder) {
    if (fs::is_directory(folder / "opencode", ignored)) outside.push_back(folder / "opencode");
  };
  if (data == users / ".local/share") {
    for (const char* folder : {".local/state", ".config", ".cache"}) add(users / folder);
  }
  if (users != Canonical(Variable("HOME")) && data != Canonical(Variable("XDG_DATA_HOME"))) return outside;
  for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
    if (const fs::path named = Canonical(Variable(name)); !named.empty()) add(named);
  }
  return outside;
}

std::vector<fs::path> ToolHomesOf(const fs::path& users) {
  std::vector<fs::path> homes;
  const auto add = [&](fs::path home) {
    std::error_code ignored;
    const bool is_new = std::ranges::find(homes, home) == homes.end();
    if (is_new && fs::is_directory(home, ignored)) homes.push_back(std::move(home));
  };
  const fs::path real = Canonical(users);
  const bool is_own = !real.empty() && real == Canonical(Variable("HOME"));
  for (const SessionTool tool : kTools) {
    add(ToolRoot(tool, users));
    const fs::path named = is_own ? Variable(ToolRootVariable(tool)) : fs::path();
    if (!named.empty()) add(ToolRootFrom(tool, named));
  }
  return homes;
}

}  // namespace turnlog
