// The indexes from which tools list their sessions, compared with the files in both directions.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "migrate/sources/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

// Claude Code's sessions-index.json beside its sessions and the names of its folders; the `threads` of the newest
// state_<number>.sqlite in the folder of Codex, and the names in its session_index.jsonl; the folders of messages of
// opencode. With kReplace, mends what can be made again from the files. An index that cannot be read is a note.
void CompareIndexes(std::span<const FoundSource> sources, const DoctorOptions& options, DoctorReport& report);

}  // namespace turnlog
