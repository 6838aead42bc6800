// What the UIMessages of the Vercel AI SDK mean. docs/formats/ui_messages.md has the rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"
#include "migrate/ui_messages/tool_part.h"

namespace turnlog {

class UiMessageConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& record) const override;
  bool IsRecord(const JsonObject& object) const override;
  bool IsUnfinished(const JsonObject& record) const override;
  bool BeginUnfinished(const JsonObject& record) override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  void User(const JsonObject& message, RecordEvents& events);
  void Assistant(const JsonObject& message, RecordEvents& events);
  void Part(std::string_view text, RecordEvents& events);
  void Call(ToolPart part, RecordEvents& events);
  void AddResults(RecordEvents& events);

  TurnTracker turns_;
  bool unfinished_ = false;      // the next message
  std::vector<ToolPart> calls_;  // of the block, whose results follow all of its calls
};

// What stays of a part that a chat replaces, such as a progress; of anything else, all of it.
std::string LastingPartOfUiMessage(std::string_view part);

}  // namespace turnlog
