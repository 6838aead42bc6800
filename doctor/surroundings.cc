#include "doctor/surroundings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/file_system.h"
#include "base/try.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// The folders that tools keep their sessions in.
constexpr std::array<std::string_view, 3> kSessionFolders{"projects", "sessions", "archived_sessions"};

// The folder of the tool that a session belongs to; empty if it is elsewhere.
fs::path HomeOf(const FoundSource& source) {
  if (source.format->name != "claude-code" && source.format->name != "codex") return {};
  std::error_code ignored;
  for (fs::path path = fs::absolute(source.path, ignored); path.has_relative_path(); path = path.parent_path()) {
    if (std::ranges::find(kSessionFolders, path.filename().string()) != kSessionFolders.end())
      return path.parent_path();
  }
  return {};
}

// Searches one file or folder.
Status Search(const fs::path& path, unsigned jobs, DoctorReport& report) {
  const std::array<fs::path, 1> paths{path};
  const SecretScanReport scan = TURNLOG_TRY(ScanForSecrets(paths, {.jobs = jobs}));
  SurroundingReport found{.path = path, .files = scan.files, .bytes = scan.bytes};
  for (const SecretLocation& secret : scan.secrets) ++found.secrets[secret.rule];
  for (const SecretScanProblem& problem : scan.problems) found.not_read.push_back(problem.file + ": " + problem.reason);
  report.surroundings.push_back(std::move(found));
  return {};
}

}  // namespace

Status SearchSurroundings(std::span<const FoundSource> sources, unsigned jobs, DoctorReport& report) {
  std::set<fs::path> homes, outputs;
  for (const FoundSource& source : sources) {
    if (const fs::path home = HomeOf(source); !home.empty()) homes.insert(home);
    const fs::path output = source.path.parent_path() / source.path.stem() / "tool-results";
    std::error_code ignored;
    if (source.format->name == "claude-code" && fs::is_directory(output, ignored)) outputs.insert(output);
  }
  for (const fs::path& home : homes) {
    for (const std::string& name : TURNLOG_TRY(PosixFileSystem().List(home))) {
      if (std::ranges::find(kSessionFolders, name) == kSessionFolders.end())
        TURNLOG_TRY(Search(home / name, jobs, report));
    }
  }
  for (const fs::path& output : outputs) TURNLOG_TRY(Search(output, jobs, report));
  return {};
}

}  // namespace turnlog
