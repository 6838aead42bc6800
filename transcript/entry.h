// What a reader of a transcript sees of a turn, whatever the document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

struct TranscriptEntry {
  enum class Kind : std::uint8_t { kUser, kAssistant, kReasoning, kData, kCall, kStrayResult, kQuestion, kSummary };

  Kind kind = Kind::kUser;
  Seq seq;           // of its first event; 0: inserted by a repair
  std::string name;  // author, tool, or who asks
  std::string id;    // of a call or question
  std::string text;  // of a call: its arguments
  std::optional<Timestamp> time;
  std::string rule;       // of the repair that shows it here
  bool redacted = false;  // contents were removed from the log
  // Calls:
  std::optional<ToolCallResponse> result;
  // Questions:
  std::vector<std::string> options;
  std::string outcome;  // "Answer: <redacted>", "Cancelled (user)"
  std::string by, note;
};

struct TranscriptTurn {
  std::uint64_t number = 0;  // 0: before the first turn
  std::vector<TranscriptEntry> entries;
  std::string conversation{};  // that it was copied from; empty: none
};

}  // namespace turnlog
