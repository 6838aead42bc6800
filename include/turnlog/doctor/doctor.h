// Examines the sessions of agent tools where they are, without a store: what would make the provider refuse a session,
// what would make its tool fail to load it, and how many presumed secrets are in it; and mends copies or the files
// themselves. docs/doctor.md describes what is found and what a cure changes.
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

#include "turnlog/providers/lint.h"
#include "turnlog/result.h"

namespace turnlog {

// A rule about a session's file, beside those of the providers (ProviderRules), whose ids findings have, too.
struct SessionRule {
  std::string_view id;  // stable
  Verdict verdict = Verdict::kRefused;
  std::string_view requirement;
  std::string_view cure;  // empty: there is none
};
std::span<const SessionRule> SessionRules();
// Null if there is no rule of this id.
const SessionRule* FindSessionRule(std::string_view id);

struct SessionFinding {
  std::string rule;  // the id of a SessionRule or ProviderRule
  Verdict verdict = Verdict::kRefused;
  std::uint64_t line = 1, byte = 0;  // where, in the file before this pass; of a database, in the rows as JSON lines
  std::string detail;                // for people; quotes no contents but ids and numbers
  bool mended = false;               // the edits cure it
};

// Replaces the bytes [begin, end) by `text`.
struct TextEdit {
  std::uint64_t begin = 0, end = 0;
  std::string text;

  bool operator==(const TextEdit&) const = default;
};

// Edits in order that do not overlap. A cure may uncover what was hidden before: each pass is about the result of the
// one before.
using EditPass = std::vector<TextEdit>;

// Presumed secrets of one rule.
struct SecretCount {
  std::uint64_t count = 0;
  std::uint64_t line = 0;  // of the first record with one; of a database, its row
};

struct SessionReport {
  std::filesystem::path path;
  std::string session;                         // its id, if the file is a database
  std::string format;                          // empty: not recognised
  bool is_part = false;                        // a further file of the session before it
  std::optional<Error> problem;                // why it could not be examined or written, or what failed then
  std::uint64_t size = 0;                      // bytes, decompressed
  std::uint64_t size_of_parts = 0;             // of further files that have no report of their own
  std::string digest;                          // of `size` bytes
  std::vector<SessionFinding> findings;        // of all passes, in order
  std::map<std::string, SecretCount> secrets;  // found ones, by rule; those that no redaction replaces
  std::uint64_t redacted = 0;                  // records in which secrets were replaced; of a plan: would be
  std::uint64_t not_redacted = 0;              // records in which they would have been, if the session had been written
  std::vector<EditPass> passes;                // none: nothing to mend
  std::string mended_digest;                   // of the result of all passes
  std::filesystem::path written;               // the mended file, also if there was a problem afterwards; empty: none
  std::filesystem::path backup;                // what was replaced; empty: none is kept
  std::filesystem::path moved;                 // where the session is now; empty: it was not moved
  std::uint64_t carried_over = 0;              // bytes that other processes have appended meanwhile

  // The problem is that another process uses it.
  bool is_busy() const { return problem && problem->code == ErrorCode::kBusy; }
  // What the edits leave.
  std::uint64_t left() const;
};

// A project's folder that has another name now: absolute paths without a final slash.
struct FolderRename {
  std::string from, to;
};

enum class DoctorAction : std::uint8_t {
  kExamine,  // writes nothing, and looks for no edits of a second pass
  kPlan,     // writes nothing
  kCopy,     // writes a mended copy of each session that has something to mend
  kReplace,  // replaces these sessions
};

struct DoctorOptions {
  DoctorAction action = DoctorAction::kExamine;
  std::filesystem::path out;  // kCopy: a folder; empty: beside the file, with kMendedSuffix
  bool close_open = false;    // also answers calls that may be running
  bool secrets = true;        // searches for secrets
  bool redact = false;        // replaces them
  // Writes the new name into `cwd` fields; with kReplace, sessions of Claude Code also move to the folder of that name.
  std::optional<FolderRename> rename{};
  std::uint64_t idle_seconds = 60;  // kReplace: files that were written more recently are busy
  unsigned jobs = 0;                // threads; 0: one for each processor
  // Called before each step of a replacement: for tests, which stop there.
  std::function<void(std::string_view step)> on_step{};
};

inline constexpr std::string_view kMendedSuffix = ".mended";

// A session that is in a tool's index and has no file, or the other way round; or that is in another folder than those
// in which its tool looks for it.
struct IndexFinding {
  std::string rule;
  std::filesystem::path index;
  std::string session;         // its id
  std::filesystem::path file;  // that it has, or should have
  bool mended = false;
};

// A file or folder that a tool keeps beside its sessions, or a database with sessions: it was searched for secrets.
// With kReplace, histories, pastes, outputs and logs are cleaned.
struct SurroundingReport {
  std::filesystem::path path;
  std::uint64_t files = 0, bytes = 0;
  std::map<std::string, std::uint64_t> secrets;  // that are left, by rule
  std::uint64_t removed = 0;                     // secrets
  bool for_people = false;                       // the tool does not use it again: kReplace cleans it if it is text
  std::vector<std::string> busy;                 // files that are in use, and what was not done
  std::vector<std::string> not_cleaned;          // files that could not be cleaned for another reason, and why
  std::vector<std::string> not_read;
};

struct DoctorReport {
  std::vector<SessionReport> sessions;  // in the order of the paths
  std::vector<IndexFinding> indexes;
  std::vector<SurroundingReport> surroundings;  // with `redact`
  std::vector<std::string> problems, notes;     // what could not be read, and what was not examined
};

// Examines all sessions at the paths: files, and folders with everything in them. Memory for each thread: one record,
// some 100 bytes for each record id and call, and the edits.
Result<DoctorReport> ExamineSessions(std::span<const std::filesystem::path> paths, const DoctorOptions& options = {});

// A plan of edits as JSON, one line for each session that has any, and the reports that it was made from without their
// findings.
std::string WritePlan(const DoctorReport& report);
Result<std::vector<SessionReport>> ReadPlan(std::string_view text);
// Carries a plan out. A session whose contents are not those of the plan gets a `problem`. Returns the notes of a
// DoctorReport.
std::vector<std::string> ApplyPlan(std::vector<SessionReport>& plan, const DoctorOptions& options);

}  // namespace turnlog
