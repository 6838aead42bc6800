// Which turns a compaction leaves in the context: its boundary names the messages that stay.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "migrate/records/json_object.h"

namespace turnlog {

class ClaudeKeptTurns {
 public:
  // Indexes of turns, both included.
  struct Turns {
    std::uint64_t from = 0, to = 0;
    bool operator==(const Turns&) const = default;
  };

  // Message `uuid` of the user begins the turn.
  void Begin(std::string_view uuid, std::uint64_t turn);
  // `record`: the boundary of a compaction, which comes before its summary.
  void SeeBoundary(const JsonObject& record);
  // The turns that the summary after the last boundary replaces, of so many; nothing: none. A turn whose first message
  // stays is kept as a whole, and one of which only later messages stay is replaced.
  std::optional<Turns> TakeReplaced(std::uint64_t turns);

  void Save(std::string& out) const;
  void Restore(Decoder& in);

 private:
  struct Turn {
    std::uint64_t hash;  // of its first message's uuid
    std::uint64_t turn;
  };

  std::deque<Turn> turns_;     // the latest
  std::optional<Turns> kept_;  // by the last boundary
};

}  // namespace turnlog
