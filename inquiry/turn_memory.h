// What must be known of a turn as long as it lasts, beside its state: a fold over its events, the same while they are
// written and after a restart.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "turnlog/event.h"
#include "turnlog/inquiry/remembered.h"
#include "turnlog/turn_state.h"

namespace turnlog {

class TurnMemory {
 public:
  // A turn_start forgets everything. `before` is the turn's state before this event.
  void Apply(const EventView& event, const TurnState& before);

  // An id that this turn does not have yet, with the attempt after the last one of (tool call, question).
  Result<InquiryId> NextId(std::string_view tool_call, std::string_view question) const;
  // Whether an inquiry of that id was made in this turn.
  bool WasAsked(std::string_view id) const { return inquiries_.contains(id); }
  bool WasCalled(std::string_view id) const { return calls_.contains(id); }
  // How the user refused the last call of that id that has its result; null if it was not refused.
  const Denial* FindDenial(std::string_view id) const {
    const auto found = denied_.find(id);
    return found == denied_.end() ? nullptr : &found->second;
  }

  // The highest number of a message of the model; 0: none has one.
  std::uint64_t last_message() const { return last_message_; }

  // What the user has put in place of the arguments of the call that this question was about; empty if nothing, or if
  // a part of it was redacted.
  Json FindEditedArguments(std::string_view inquiry) const {
    const auto found = edited_.find(inquiry);
    return found == edited_.end() ? Json() : found->second;
  }

  const RememberedAnswers& answers() const { return answers_; }
  const RememberedPermissions& permissions() const { return permissions_; }

  bool operator==(const TurnMemory&) const = default;

 private:
  void Ask(const EventView& event);
  void Answer(const EventView& event, const TurnState& before);

  std::set<std::string, std::less<>> calls_, inquiries_;                   // ids of all there were
  std::map<std::string, Denial, std::less<>> denied_;                      // by the ids of the calls
  std::map<std::string, Json, std::less<>> edited_;                        // arguments, by the ids of the inquiries
  std::map<std::pair<std::string, std::string>, std::uint32_t> attempts_;  // the last one, by call and question
  std::uint64_t last_message_ = 0;
  RememberedAnswers answers_;
  RememberedPermissions permissions_;
};

// The type of PermissionEvent's events.
inline constexpr std::string_view kPermissionType = "permission";
// The `metadata` of the event of an answer that holds for the turn.
Json RememberMark();
// The event of a permission that holds for the turn.
Event PermissionEvent(const PermissionKey& key, Permission permission, const Responder& by,
                      const std::optional<std::string>& reason, Timestamp timestamp);

}  // namespace turnlog
