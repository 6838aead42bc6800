// The state of the profile strict at the beginning of a turn: everything about earlier events that later events depend
// on. Stored between runs as the watermark's state, so it contains ids only as hashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "turnlog/types.h"

namespace turnlog {

// A call without a result in a turn that is over. A later turn may contain its result.
struct UnansweredCall {
  Seq call;    // 0: several calls have this id, so that a result is ambiguous
  Seq anchor;  // the event after which the result belongs
  bool operator==(const UnansweredCall&) const = default;
};

struct StrictState {
  std::uint64_t salt = 0;        // of the hashes below; random, so that a guessed id cannot be found in the index
  Seq resume{1};                 // the first event of the turn
  std::uint64_t turn_index = 0;  // of the turn, from 0 as in compactions
  std::optional<Seq> first_chat;
  std::vector<std::uint64_t> dropped_turns;                  // indexes, ascending
  std::unordered_map<Hash128, UnansweredCall> unanswered{};  // by HashOf the id

  Hash128 HashOf(std::string_view id) const { return HashId(id, salt); }
  bool operator==(const StrictState&) const = default;
};

// The state at the beginning of a conversation.
StrictState FreshStrictState();

std::string Encode(const StrictState& state);
// Nothing if the bytes are damaged or of another version: then the run starts at the beginning.
std::optional<StrictState> DecodeStrictState(std::string_view bytes);

}  // namespace turnlog
