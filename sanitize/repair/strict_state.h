// What the profile strict keeps of a conversation at the beginning of a turn: all that the events before it can still
// mean for those behind it. Kept between two runs as the watermark's state, so ids are only there as hashes.
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

// A call in a turn that is over. Its result may yet be found in a later one.
struct UnansweredCall {
  Seq call;   // 0: there are several of this id, so that no result can be said to belong to one of them
  Seq place;  // behind which the result belongs
  bool operator==(const UnansweredCall&) const = default;
};

struct StrictState {
  std::uint64_t salt = 0;        // of the hashes below, random, so that nobody finds a guessed id in the index
  Seq resume{1};                 // the first event of the turn
  std::uint64_t turn_index = 0;  // of the turn, counted as compactions count: from 0
  std::optional<Seq> first_chat;
  std::vector<std::uint64_t> dropped_turns;                  // indexes, ascending
  std::unordered_map<Hash128, UnansweredCall> unanswered{};  // by HashOf the id

  Hash128 HashOf(std::string_view id) const { return HashId(id, salt); }
  bool operator==(const StrictState&) const = default;
};

// Where a run begins that has nothing to go on from.
StrictState FreshStrictState();

std::string Encode(const StrictState& state);
// Nothing if the bytes are damaged or of another version of the rules: then all is to be read again.
std::optional<StrictState> DecodeStrictState(std::string_view bytes);

}  // namespace turnlog
