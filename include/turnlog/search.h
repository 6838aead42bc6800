// Searches the text of a store's conversations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

// A pattern is matched against one line at a time, in every text of an event that a person can read: contents,
// arguments, questions, answers, reasons, metadata, ids. Escapes in the strings of JSON values are decoded, so that the
// lines of a file in a tool's arguments are lines here.
struct SearchPattern {
  std::string text;
  bool regex = false;  // `text` is a regular expression in RE2 syntax; otherwise literal
  bool ignore_case = false;
};

struct SearchOptions {
  std::vector<std::string> conversations;  // ids, or globs with * and ?; empty: all
  std::vector<EventKind> kinds;            // empty: all
  std::optional<std::string> tool;         // only calls of this tool, their results, and what the tool asked
  std::optional<Timestamp> since, until;   // from `since` up to, but not at, `until`; leaves out events without a time
  std::size_t before = 0, after = 0;       // also return so many events around each match
  std::uint64_t limit = UINT64_MAX;        // matching events in all
  std::uint64_t limit_each = UINT64_MAX;   // matching events of one conversation
  bool lines = true;                       // false: return matching events without their lines
  bool raw = false;                        // search the log itself instead of the sanitized view
  unsigned jobs = 1;                       // conversations searched in parallel, at least 1
};

struct MatchSpan {
  std::size_t begin = 0, end = 0;  // bytes of the line
  bool operator==(const MatchSpan&) const = default;
};

struct FoundLine {
  std::string field;  // its name in the JSON form, e.g. "question.text"
  std::string text;   // as stored: not made safe for terminals
  std::vector<MatchSpan> matches;
};

struct FoundEvent {
  std::string conversation;
  Seq seq;  // 0: inserted by a repair
  Turn turn;
  std::optional<Timestamp> time;
  EventKind kind = EventKind::kUnknown;
  std::string tool;              // name of the tool that it belongs to; may be empty
  bool match = true;             // false: context, with its first line
  bool gap = false;              // events between the previous result and this one were left out
  std::vector<FoundLine> lines;  // the matching lines, with their fields
};

struct SearchTotals {
  std::uint64_t conversations = 0;  // searched
  std::uint64_t events = 0, bytes = 0;
  std::uint64_t matches = 0;  // matching events given to `on_found`
};

// Called with each result, in order of conversations and events, on the calling thread. Damage does not end the search.
// Returning false ends it.
using OnFound = std::function<bool(std::variant<FoundEvent, Damage>&& found)>;

// kInvalidArgument: the pattern is not a valid regular expression, or contains a line break. Skips conversations that
// do not exist. Memory: `jobs` conversations' windows and at most a few megabytes of results found ahead.
Result<SearchTotals> SearchStore(Log& log, const SearchPattern& pattern, const SearchOptions& options,
                                 const OnFound& on_found);

}  // namespace turnlog
