// What a turn must not forget while it lasts: a fold over its events, the same for the one who writes them and after a
// restart.
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

namespace turnlog {

class TurnMemory {
 public:
  // A turn_start forgets everything.
  void Apply(const EventView& event);

  // An id that this turn does not have yet, with the attempt behind the last one of (tool call, question).
  Result<InquiryId> NextId(std::string_view tool_call, std::string_view question) const;
  // Whether an inquiry of that id was made in this turn.
  bool WasAsked(std::string_view id) const { return questions_.contains(id); }
  bool WasCalled(std::string_view id) const { return tools_.contains(id); }
  // The tool's name in the last call of that id; empty if there was none.
  std::string_view ToolOf(std::string_view call) const;

  const RememberedAnswers& answers() const { return answers_; }
  const RememberedPermissions& permissions() const { return permissions_; }

  bool operator==(const TurnMemory&) const = default;

 private:
  struct Asked {
    std::optional<AnswerKey> key;  // none: nothing can be remembered about it
    Question question;
    bool operator==(const Asked&) const = default;
  };

  void Ask(const EventView& event);
  void Answer(const EventView& event);

  std::map<std::string, std::string, std::less<>> tools_;                  // names, by call id
  std::map<std::pair<std::string, std::string>, std::uint32_t> attempts_;  // the last one, by call and question
  std::map<std::string, Asked, std::less<>> questions_;                    // by inquiry id
  RememberedAnswers answers_;
  RememberedPermissions permissions_;
};

// How an answer says that it holds for the turn, as `metadata` of its event.
Json RememberMark();
// The event of a permission that holds for the turn.
Event PermissionEvent(std::string_view tool, Permission permission, const std::optional<Timestamp>& timestamp);

}  // namespace turnlog
