#include "migrate/langgraph/shown_messages.h"

#include <algorithm>

#include "base/hash.h"

namespace turnlog {

ShownMessages::Change ShownMessages::Update(std::span<const MessageList> state, std::uint64_t turns) {
  BeginTurns(turns);
  Present present;
  const std::vector<MessageList> lists = WithoutRepeats(state, present);
  std::vector<bool> hide(turns_.size());
  std::uint64_t first = HideGone(present, hide);
  for (const MessageList& list : lists) first = std::min(first, FirstMisplaced(list, present, hide));
  Change change;
  for (const MessageList& list : lists) ShowFrom(first, list, present, hide, change.shown);
  for (std::uint64_t turn = first; turn < hide.size(); ++turn) hide[turn] = true;
  change.hidden = Hide(hide);
  return change;
}

MessageList ShownMessages::Missing(std::span<const MessageList> state) const {
  Present present;
  MessageList missing;
  for (const MessageList& list : WithoutRepeats(state, present)) {
    for (const LangMessage* message : list) {
      const auto place = places_.find(message->key);
      const bool shown =
          place != places_.end() && place->second.contents == message->contents && !turns_[place->second.turn].hidden;
      if (IsBeside(*message) ? !beside_.contains(NameBeside(*message)) : !shown) missing.push_back(message);
    }
  }
  return missing;
}

void ShownMessages::Add(const LangMessage& message, std::uint64_t turn, bool begins) {
  BeginTurns(turn + 1);
  if (begins) turns_[turn].prompt = message.key;
  const auto place = places_.insert_or_assign(message.key, Place{message.contents, turn, ++added_}).first;
  turns_[turn].messages.push_back(&*place);
}

void ShownMessages::BeginTurns(std::uint64_t turns) {
  for (std::uint64_t turn = turns_.size(); turn < turns; ++turn) visible_.push_back(turn);
  if (turns_.size() < turns) turns_.resize(turns);
}

std::uint64_t ShownMessages::NameBeside(const LangMessage& message) { return Hash64(message.key, message.contents); }

bool ShownMessages::IsBeside(const LangMessage& message) const {
  return message.kind == LangMessage::Kind::kOther || beside_.contains(NameBeside(message));
}

// Several channels may have the same message.
std::vector<MessageList> ShownMessages::WithoutRepeats(std::span<const MessageList> state, Present& present) const {
  std::vector<MessageList> lists;
  for (const MessageList& list : state) {
    MessageList& first = lists.emplace_back();
    for (const LangMessage* message : list) {
      if (present.emplace(message->key, message->contents).second) first.push_back(message);
    }
  }
  return lists;
}

// Marks the turns whose prompts are gone, or all messages. Returns the first one of the others that lacks a message.
std::uint64_t ShownMessages::HideGone(const Present& present, std::vector<bool>& hide) const {
  std::uint64_t first = UINT64_MAX;
  for (const std::uint64_t turn : visible_) {
    bool lacks = false, left = false;
    for (const Shown* shown : turns_[turn].messages) {
      const auto& [key, place] = *shown;
      if (place.turn != turn) continue;  // shown again later
      const auto found = present.find(key);
      const bool same = found != present.end() && found->second == place.contents;
      (same ? left : lacks) = true;
      if (found == present.end() && key == turns_[turn].prompt) hide[turn] = true;
    }
    if (lacks && !left) hide[turn] = true;
    if (lacks && !hide[turn]) first = std::min(first, turn);
  }
  return first;
}

ShownMessages::Standing ShownMessages::StandingOf(const LangMessage& message, const Present& present,
                                                  const std::vector<bool>& hide) const {
  const auto place = places_.find(message.key);
  if (place == places_.end()) return Standing::kNew;
  const Turn& turn = turns_[place->second.turn];
  if (turn.hidden || hide[place->second.turn]) {
    return !turn.prompt.empty() && !present.contains(turn.prompt) ? Standing::kCut : Standing::kNew;
  }
  return place->second.contents == present.at(message.key) ? Standing::kShown : Standing::kNew;
}

// The first turn of which a message follows one that is not shown, or is shown after it.
std::uint64_t ShownMessages::FirstMisplaced(const MessageList& list, const Present& present,
                                            const std::vector<bool>& hide) const {
  std::uint64_t first = UINT64_MAX, last = 0;
  bool any = false, any_new = false;
  for (const LangMessage* message : list) {
    if (IsBeside(*message)) continue;
    const Standing standing = StandingOf(*message, present, hide);
    if (standing == Standing::kCut && !any) continue;
    any = true;
    any_new |= standing != Standing::kShown;
    if (standing != Standing::kShown) continue;
    const Place& place = places_.at(message->key);
    if (any_new || place.number < last) first = std::min(first, place.turn);
    last = std::max(last, place.number);
  }
  return first;
}

void ShownMessages::ShowFrom(std::uint64_t first, const MessageList& list, const Present& present,
                             const std::vector<bool>& hide, MessageList& shown) const {
  bool any = false;
  for (const LangMessage* message : list) {
    if (IsBeside(*message)) {
      if (!beside_.contains(NameBeside(*message))) shown.push_back(message);
      continue;
    }
    const Standing standing = StandingOf(*message, present, hide);
    if (standing == Standing::kCut && !any) continue;
    any = true;
    const bool stays = standing == Standing::kShown && places_.at(message->key).turn < first;
    if (!stays) shown.push_back(message);
  }
}

std::vector<ShownMessages::TurnRange> ShownMessages::Hide(const std::vector<bool>& hide) {
  std::vector<TurnRange> ranges;
  for (const std::uint64_t turn : visible_) {
    if (!hide[turn]) continue;
    turns_[turn].hidden = true;
    turns_[turn].messages = {};
    const bool goes_on = !ranges.empty() && ranges.back().to + 1 == turn;
    goes_on ? void(ranges.back().to = turn) : ranges.push_back({turn, turn});
  }
  std::erase_if(visible_, [this](std::uint64_t turn) { return turns_[turn].hidden; });
  return ranges;
}

}  // namespace turnlog
