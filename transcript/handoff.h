// What an agent needs that goes on with a conversation: a fold over its turns, and the document made of it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transcript/entry.h"

namespace turnlog {

struct HandoffItem {
  std::uint64_t turn = 0;
  TranscriptEntry entry;
  std::string conversation{};  // see TranscriptTurn
};

struct TouchedFile {
  std::string path;
  std::vector<std::pair<std::string, std::uint64_t>> tools;  // how often each was called, in order of the first call
};

struct Handoff {
  std::vector<HandoffItem> requests;   // of people, and of agents that started the conversation
  std::vector<HandoffItem> decisions;  // outcomes of questions, denied calls
  std::vector<HandoffItem> open;       // calls and questions of the last turn without an outcome
  std::vector<TouchedFile> files;      // the one touched last comes last
  std::deque<TranscriptTurn> last_turns;

  std::vector<HandoffItem> LastEntries() const;
};

// Memory: what it returns.
class HandoffFold {
 public:
  void Add(TranscriptTurn turn);
  Handoff Take() && { return std::move(handoff_); }

 private:
  void AddEntry(const TranscriptTurn& turn, const TranscriptEntry& entry);
  void Touch(const std::string& path, const std::string& tool);

  Handoff handoff_;
};

struct HandoffText {
  std::string text;
  std::uint64_t tokens = 0;    // estimated
  std::uint64_t left_out = 0;  // entries
  std::uint64_t shortened = 0;
};

// `budget`: the most tokens that the text may have, by estimate; 0: no limit. What does not fit is left out, the oldest
// first. `footer`: sentences about the whole document.
HandoffText WriteHandoff(std::string_view conversation, const Handoff& handoff, std::uint64_t budget,
                         std::string_view footer);

}  // namespace turnlog
