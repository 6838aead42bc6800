// What a tool returns: text of the history for a model, in which every line that comes from the store is marked, so
// that nothing in it can be taken for an instruction of this server, and which has no more tokens than the model wants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transcript/entry.h"

namespace turnlog {

// Each line with the mark of what is quoted, without control characters.
std::string MarkedLines(std::string_view text);

// "[12] call bash call_1, 2026-01-02T03:04:05Z", and what is below it.
std::string EntryHeading(const TranscriptEntry& entry);
std::string EntryBody(const TranscriptEntry& entry);

class HistoryText {
 public:
  // `max_tokens`: by estimate.
  explicit HistoryText(std::uint64_t max_tokens) : left_(max_tokens) {}

  // Adds text of the store, line by line, without control characters. False: it did not fit, and nothing more will. The
  // first one is cut if it must be.
  bool Add(std::string_view text);
  bool AddEntry(const TranscriptEntry& entry) { return Add(EntryHeading(entry) + "\n" + EntryBody(entry)); }

  bool full() const { return full_; }
  // All of it, with a line of the server's own at the beginning, and `note` at the end.
  std::string Take(std::string_view note) &&;

 private:
  std::uint64_t left_;
  bool full_ = false;
  std::string text_;
};

}  // namespace turnlog
