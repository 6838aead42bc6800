// Bringing histories in. A conversation keeps the id that its source gives it, and comes in whole or not at all;
// importing again adds what is new in the source and nothing else. docs/formats/ has the formats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

// One place of a source, and what was found there. Never quotes what the source says.
struct ImportProblem {
  std::string file;
  std::optional<std::uint64_t> element;  // of an array, from 0
  std::optional<std::uint64_t> line;     // from 1
  std::optional<std::uint64_t> byte;     // in the file, from 0
  std::string reason;
};

// "c/events.json, element 7, byte 4128: `is_error` is missing"
std::string ToString(const ImportProblem& problem);

struct ImportReport {
  std::uint64_t added = 0, extended = 0, unchanged = 0, failed = 0;  // conversations
  std::uint64_t events = 0;                                          // appended
  std::vector<ImportProblem> problems;  // what did not come in, or only as a quarantined event
  std::vector<ImportProblem> notes;     // what came in otherwise than it stands there
};

struct ImportOptions {
  // Called after each conversation (jp) or file (JSON lines), on the calling thread.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

// Each path is a conversation of jp, a folder of them, or a `.jp`; `.archive` in it comes along. Fails only if the log
// does; what is wrong with the sources is in the report. All that came in is on disk when it returns.
Result<ImportReport> ImportJp(Log& log, std::span<const std::filesystem::path> paths,
                              const ImportOptions& options = {});

// Files of JSON lines, one event each. The conversation is the line's `conversation`, else the file's name without its
// extension. Lines that say their `seq` must follow each other and what is stored.
Result<ImportReport> ImportJsonl(Log& log, std::span<const std::filesystem::path> paths,
                                 const ImportOptions& options = {});

}  // namespace turnlog
