#include "migrate/sessions/session_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file_system.h"
#include "migrate/gemini/project_hash.h"
#include "migrate/records/json_object.h"
#include "migrate/sessions/session_ids.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Names of long paths end with a hash that depends on the runtime: a folder that is there already counts.
fs::path ClaudeFolder(const ResumeTarget& target) {
  const fs::path projects = target.root / "projects";
  const std::string name = ClaudeProjectName(target.folder.string());
  constexpr std::size_t kMaxFolderName = 200;
  std::error_code error;
  if (name.size() <= kMaxFolderName || fs::exists(projects / name, error)) return projects / name;
  const std::string prefix = name.substr(0, kMaxFolderName + 1);
  for (fs::directory_iterator each(projects, error), end; !error && each != end; each.increment(error)) {
    if (each->path().filename().string().starts_with(prefix)) return each->path();
  }
  return projects / name;
}

// Newer versions name projects in an index, older ones by the hash of their path; the newer ones find these, too.
fs::path GeminiFolder(const ResumeTarget& target) {
  const std::string folder = target.folder.string();
  const std::string text = ReadFile(PosixFileSystem(), target.root / "projects.json").value_or("{}");
  const JsonObject index = JsonObject::Parse(text).value_or(JsonObject());
  const auto name = index.Object("projects").String(folder);
  const bool usable = name && !name->empty() && !name->contains('/') && !name->starts_with('.');
  return target.root / "tmp" / (usable ? *name : GeminiProjectHash(folder)) / "chats";
}

// 2026-01-02T03-04-05
std::string FileTime(Timestamp time) {
  std::string text = MillisecondTime(time).substr(0, 19);
  std::ranges::replace(text, ':', '-');
  return text;
}

std::string Quoted(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           std::string_view("/._-+:@,=").contains(letter);
  });
  if (plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? std::string(R"('\'')") : std::string(1, letter);
  return quoted + "'";
}

}  // namespace

fs::path ToolRoot(SessionTool tool, const fs::path& home) {
  switch (tool) {
    case SessionTool::kClaude:
      return home / ".claude";
    case SessionTool::kCodexCli:
      return home / ".codex";
    case SessionTool::kOpencodeCli:
      return home / ".local/share/opencode";
    case SessionTool::kGeminiCli:
      break;
  }
  return home / ".gemini";
}

const char* ToolRootVariable(SessionTool tool) {
  switch (tool) {
    case SessionTool::kClaude:
      return "CLAUDE_CONFIG_DIR";
    case SessionTool::kCodexCli:
      return "CODEX_HOME";
    case SessionTool::kOpencodeCli:
      return "XDG_DATA_HOME";
    case SessionTool::kGeminiCli:
      break;
  }
  return nullptr;
}

fs::path ToolRootFrom(SessionTool tool, const fs::path& value_of_variable) {
  return tool == SessionTool::kOpencodeCli ? value_of_variable / "opencode" : value_of_variable;
}

fs::path SessionFile(const ResumeTarget& target, const std::string& session, Timestamp begin, std::string_view text) {
  const std::string time = FileTime(begin);
  switch (target.tool) {
    case SessionTool::kClaude:
      return ClaudeFolder(target) / (session + ".jsonl");
    case SessionTool::kCodexCli:
      return target.root / "sessions" / time.substr(0, 4) / time.substr(5, 2) / time.substr(8, 2) /
             fmt::format("rollout-{}-{}.jsonl", time, session);
    case SessionTool::kOpencodeCli:
      return target.root / "turnlog" / (session + ".json");
    case SessionTool::kGeminiCli:
      break;
  }
  // Lines are appended to any other file.
  const char* const extension = JsonObject::Parse(text).value_or(JsonObject())["messages"].empty() ? "jsonl" : "json";
  return GeminiFolder(target) / fmt::format("session-{}-{}.{}", time.substr(0, 16), session.substr(0, 8), extension);
}

std::optional<fs::path> FindSessionFile(const ResumeTarget& target, const std::string& session, const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error)) return file;
  if (target.tool != SessionTool::kCodexCli) return std::nullopt;
  for (const char* const folder : {"sessions", "archived_sessions"}) {
    for (fs::recursive_directory_iterator each(target.root / folder, error), end; !error && each != end;
         each.increment(error)) {
      if (each->path().filename().string().contains(session)) return each->path();
    }
  }
  return std::nullopt;
}

std::string ResumeCommand(const ResumeTarget& target, const std::string& session, const fs::path& file) {
  const std::string change = "cd " + Quoted(target.folder.string()) + " && ";
  switch (target.tool) {
    case SessionTool::kClaude:
      return change + "claude --resume " + session;
    case SessionTool::kCodexCli:
      return change + "codex resume " + session;
    case SessionTool::kOpencodeCli:
      return change + "opencode import " + Quoted(file.string()) + " && opencode --session " + session;
    case SessionTool::kGeminiCli:
      break;
  }
  return change + "gemini --resume " + session;
}

}  // namespace turnlog
