// Importing histories. A conversation keeps the id that its source gives it; importing again adds what is new in the
// source and nothing else. docs/formats/ describes the formats and what happens to unfinished imports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct FormatInfo {
  std::string_view name;
  std::string_view description;  // one line
  bool imports = false;
  bool exports_to_stream = false, exports_to_folder = false;
};

// Every format that can be imported or exported.
std::vector<FormatInfo> Formats();

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
  // Called after each source (a file, or a folder that is one conversation), on the calling thread.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

// Imports files and folders, and what is found in the folders. `format` is the name of one of Formats(), or "auto":
// then the contents decide. A path may be a link or a pipe; below a folder only regular files are read, and no links
// are followed. Fails if the log does, or if there is no such format (kInvalidArgument); what is wrong with the sources
// is in the report. All that came in is on disk when it returns.
//
// A conversation of up to 8 MiB is one append. A longer one is appended in parts after all of it has been checked: if
// the process dies meanwhile, a gapless beginning is in the log, and the next import of the same source goes on behind
// it. Memory: 48 MiB, one record, and about 100 bytes for each conversation and 60 for each
// event id of a source.
Result<ImportReport> Import(Log& log, std::string_view format, std::span<const std::filesystem::path> paths,
                            const ImportOptions& options = {});

}  // namespace turnlog
