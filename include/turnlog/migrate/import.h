// Importing histories. A conversation keeps its id in the source; importing again adds only what is new in the source.
// docs/formats/ describes the formats and how interrupted imports are continued.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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
  bool has_layouts = false;  // see ExportLayout
};

// Every format that can be imported or exported.
std::vector<FormatInfo> Formats();

// What a problem or a note is about. docs/formats/import.md says what follows from each.
enum class ImportProblemCode : std::uint8_t {
  // Paths and sources
  kNotFound,       // there is no such path
  kUnknownFormat,  // it is not of the format, or of any
  kUnreadable,     // it cannot be opened or read
  kBusy,           // it, or its conversation in the log, changes during the import
  kMalformed,      // its contents exclude a conversation, or all of its conversations
  kIncomplete,     // its end is missing; what is there was imported
  // Parts of a conversation that was imported
  kQuarantined,  // kept byte for byte, but not as the event that it should be
  kSecretKept,   // a secret in an id
  // Conversations that do not fit the log
  kRefused,      // the log does not accept an event
  kChanged,      // differs from what was imported before
  kShrunk,       // has less than was imported before (of formats whose sources may shrink: a note)
  kContinued,    // has new events, but the conversation has other ones in the log
  kOtherOrigin,  // the conversation in the log was not imported from this format
  kGap,          // begins after the last event in the log
  // Notes
  kSkipped,         // files that are not imported
  kBegunAgain,      // the log keeps what the source had before
  kStillRedacted,   // has been redacted in the log and stays so
  kSecretRedacted,  // the answer to a question for a secret was not imported
  kTextRepaired,    // was read without what made it invalid; the original bytes are kept
  kRepeatedId,      // the id of an earlier record or event
  kNoBaseConfig,    // jp: the configuration is missing
  kUnclear,         // the source does not say what a part of it means; it is kept
};

// "not-found", "quarantined", ...
std::string_view ToString(ImportProblemCode code);
std::optional<ImportProblemCode> FindImportProblemCode(std::string_view name);

// A location in a source and what is wrong there. Never quotes the source.
struct ImportProblem {
  ImportProblemCode code{};
  std::string file;
  std::optional<std::uint64_t> element;  // of an array, from 0
  std::optional<std::uint64_t> line;     // from 1
  std::optional<std::uint64_t> byte;     // in the file, from 0
  std::string reason;                    // for people
  std::string conversation{};            // that was not imported; empty: all of the source, or none
};

// "c/events.json, element 7, byte 4128: `is_error` is missing"
std::string ToString(const ImportProblem& problem);

// What became of the bytes of a source, in this import and in earlier ones. The three counts add up to its size.
struct ImportedBytes {
  std::string source;
  std::uint64_t size = 0;
  std::uint64_t imported = 0;    // as events
  std::uint64_t kept_raw = 0;    // what turnlog has no event for: as unknown events, or in the import record
  std::uint64_t unreadable = 0;  // damaged (then kept in quarantined events), or of conversations that were refused
};

struct ImportReport {
  std::uint64_t added = 0, extended = 0, unchanged = 0, failed = 0;  // conversations
  std::uint64_t events = 0;                                          // appended
  std::vector<ImportProblem> problems;  // what was not imported, or only as a quarantined event
  std::vector<ImportProblem> notes;     // what was changed by the import
  std::vector<ImportedBytes> bytes;     // of each source that had changed
  std::uint64_t bytes_read = 0;         // of the sources, in this import
  std::uint64_t bytes_parsed = 0;       // of these, each time that they were
  // With ImportOptions::detect: in the events that were appended, by the ids of the rules that found them.
  std::map<std::string, std::uint64_t> secrets;

  // What both imports have done.
  ImportReport& operator+=(ImportReport&& more);
};

// Secrets in what is imported. Answers to questions for a secret are redacted in any case.
enum class SecretDetection : std::uint8_t {
  kNone,
  kReport,  // counted; imported as they are
  kRedact,  // what the rules find, and the same values anywhere in their source, is not imported. Such a source is read
            // as a whole when it has grown
};

struct ImportOptions {
  // Called after each source (a file, or a folder that is one conversation), on the calling thread.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  unsigned threads = 0;  // that read and append at once, at most; 0: one for each processor
  SecretDetection detect = SecretDetection::kNone;
};

// Imports files, and folders with all that is in them. `format` is the name of one of Formats(), or "auto": then the
// contents decide. A path may be a link or a pipe; in folders only regular files are read, and links are not followed.
// Fails if the log fails, or if the format is unknown (kInvalidArgument); problems of the sources are in the report.
// Everything imported is durable when it returns.
//
// A conversation of up to 8 MiB is one append. A longer one is appended in parts after all of it has been checked: if
// the process dies meanwhile, the log holds a prefix of it without gaps, and the next import of the same source
// continues there. Memory: 128 MiB, one record for each thread, and about 100 bytes for each conversation and 30 for
// each event id of a source.
Result<ImportReport> Import(Log& log, std::string_view format, std::span<const std::filesystem::path> paths,
                            const ImportOptions& options = {});

// Imports, and goes on as the sources change and new ones appear, until the descriptor `stop` can be read. What is
// written to a file just before it is removed or replaced is imported, too. `on_report`: the first import, and then
// each one that has changed or refused something. Waits without using the processor. Fails as Import does, or if the
// paths cannot be watched. Holds files open, as many as the limit of the process allows.
Status FollowImports(Log& log, std::string_view format, std::span<const std::filesystem::path> paths, int stop,
                     const std::function<void(const ImportReport& report)>& on_report,
                     SecretDetection detect = SecretDetection::kNone);

}  // namespace turnlog
