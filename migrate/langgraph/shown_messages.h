// Which messages the events of a thread show, and what is to be hidden and shown when its state has others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "migrate/langgraph/message.h"

namespace turnlog {

// The list of messages in a channel.
using MessageList = std::vector<const LangMessage*>;

// Turns are hidden as a whole, and what is shown comes last. So a turn in which a message was changed, removed or
// inserted is hidden with all that follow it, and what the state has of them is shown again. A turn whose prompt is
// gone is hidden alone. What is left of it stays so at the beginning of the state, as when that is kept short and loses
// its oldest messages one by one.
//
// Memory: about 100 bytes for each message.
class ShownMessages {
 public:
  struct TurnRange {
    std::uint64_t from = 0, to = 0;  // both included
  };
  struct Change {
    std::vector<TurnRange> hidden;
    MessageList shown;  // to be shown now, in this order
  };

  // To have the events show the state, whose messages are in these lists. `turns`: how many have begun. What is
  // returned as hidden counts as such; what is to be shown must be added.
  Change Update(std::span<const MessageList> state, std::uint64_t turns);
  // What is not shown of a state, without hiding anything.
  MessageList Missing(std::span<const MessageList> state) const;

  // The message is shown in this turn; `begins`: it is the turn's prompt.
  void Add(const LangMessage& message, std::uint64_t turn, bool begins);
  // It is no part of a turn.
  void AddBeside(const LangMessage& message) { beside_.insert(NameBeside(message)); }

 private:
  enum class Standing : std::uint8_t {
    kShown,
    kNew,  // or changed, or hidden although the state has all of its turn again
    kCut,  // left of a turn whose prompt is gone; elsewhere than at the beginning of a list, it is new
  };
  struct Place {
    std::uint64_t contents = 0, turn = 0;
    std::uint64_t number = 0;  // in the order of all that was shown
  };
  using Shown = std::pair<const std::string, Place>;
  struct Turn {
    std::string prompt;  // its key; empty: none
    bool hidden = false;
    std::vector<const Shown*> messages{};  // in places_, of a turn that is visible; some were shown again later
  };
  // The hashes of the messages of a state, by their keys.
  using Present = std::unordered_map<std::string_view, std::uint64_t>;

  void BeginTurns(std::uint64_t turns);
  static std::uint64_t NameBeside(const LangMessage& message);
  bool IsBeside(const LangMessage& message) const;
  std::vector<MessageList> WithoutRepeats(std::span<const MessageList> state, Present& present) const;
  std::uint64_t HideGone(const Present& present, std::vector<bool>& hide) const;
  Standing StandingOf(const LangMessage& message, const Present& present, const std::vector<bool>& hide) const;
  std::uint64_t FirstMisplaced(const MessageList& list, const Present& present, const std::vector<bool>& hide) const;
  void ShowFrom(std::uint64_t first, const MessageList& list, const Present& present, const std::vector<bool>& hide,
                MessageList& shown) const;
  std::vector<TurnRange> Hide(const std::vector<bool>& hide);

  std::unordered_map<std::string, Place> places_;  // where messages were shown last, by their keys
  std::uint64_t added_ = 0;
  std::vector<Turn> turns_;
  std::vector<std::uint64_t> visible_;  // turns: a program that keeps its state short has few
  std::unordered_set<std::uint64_t> beside_;
};

}  // namespace turnlog
