// A project's folder that was renamed: sessions name it in their `cwd` fields, and Claude Code also in the name of the
// folder that they are in.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "doctor/diagnosis.h"

namespace turnlog {

// The new name of a path that is the renamed folder or in it; nothing for other paths.
std::optional<std::string> RenamedPath(std::string_view path, const FolderRename& rename);

// The `cwd` fields of one file.
class CwdFields {
 public:
  explicit CwdFields(const FolderRename& rename) : rename_(rename) {}

  void Take(const SessionRecord& record, Diagnosis& diagnosis);
  void Finish(Diagnosis& diagnosis);
  // The first one, with the new name; empty if there is none.
  const std::string& first() const { return first_; }

 private:
  const FolderRename& rename_;
  std::string first_;
  std::optional<FindingLocation> location_;
  std::size_t count_ = 0;
};

// Moves a session of Claude Code and what belongs to it into the folder that is named after the renamed one, and
// returns its new path; nothing if it is not in the folder that was named after the old one. `cwd`: its first one. A
// session that is there already is not replaced.
Result<std::optional<std::filesystem::path>> MoveClaudeSession(const std::filesystem::path& session,
                                                               std::string_view cwd, const FolderRename& rename,
                                                               const std::function<void(std::string_view)>& on_step);

}  // namespace turnlog
