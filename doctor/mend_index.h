// Mends the index from which a tool lists its sessions, as far as the sessions' files say what it must have.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "turnlog/doctor/doctor.h"

namespace turnlog {

using SessionFiles = std::map<std::string, std::filesystem::path>;  // by the ids of the sessions

// The files of its sessions. Without a folder the file has the id as its name.
struct SessionIndex {
  std::filesystem::path path;
  SessionFiles sessions;
  bool is_complete = true;  // it should have all sessions
};

// Adds rows to the database of Codex and corrects paths in it; no row is removed. Claude Code's index is put aside
// under kBackupSuffix, because it is made again; not with `redact`, which keeps no copies. kBusy: it is in use.
// `found`: gets `mended`.
Status MendIndex(const SessionIndex& index, const DoctorOptions& options, std::vector<IndexFinding>& found);

}  // namespace turnlog
