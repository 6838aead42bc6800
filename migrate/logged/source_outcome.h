// What became of a source when it was last imported: one that has not changed since is not read again, whether it was
// imported or refused. Derived, as all watermarks are: without it, the source is read once more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/hash.h"
#include "migrate/sources/source_reader.h"
#include "turnlog/log.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

struct SourceOutcome {
  std::string format;
  std::uint32_t revision = 0;              // of the format
  Hash128 stamp;                           // of all its files
  std::uint64_t device = 0, inode = 0;     // of its file or folder; no inode: the format may not be the right one
  std::uint64_t size = 0;                  // of its file
  std::uint64_t imported = 0, failed = 0;  // conversations
  bool without_secrets = false;            // they were looked for and removed
  ImportProblemCode code{};                // of the first that failed, or kIncomplete
  std::string problem;                     // of the same one; never quotes the source
  std::string conversation;                // if there is only one
  std::string lines;                       // sealed LinesState, of a file that can be read on; empty: none
};

// What is to be said of a source again as long as nothing of it changes: what was refused first, or that it is not
// whole.
ImportReason ToRepeat(std::span<const ImportProblem> problems, bool refused);
// The same then.
std::string WhyAgain(const SourceOutcome& known);

// Nothing if there is none that this version understands.
Result<std::optional<SourceOutcome>> FindOutcome(Log& log, const std::filesystem::path& source);
Status SaveOutcome(Log& log, const std::filesystem::path& source, const SourceOutcome& outcome);

}  // namespace turnlog
