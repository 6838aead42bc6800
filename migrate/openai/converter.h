// What the messages and items of OpenAI's APIs mean.
#pragma once

#include <string_view>

#include "migrate/records/content_text.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

class OpenAiConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& /*record*/) const override { return {}; }
  bool IsRecord(const JsonObject& object) const override;
  // A message of a chat, or an item of the Responses API.
  void Convert(const JsonObject& record, RecordEvents& events) override;
  // Of the user.
  void Prompt(ContentText text, RecordEvents& events);

 private:
  void Assistant(const JsonObject& message, RecordEvents& events);
  void ServerApproval(std::string_view type, const JsonObject& item, RecordEvents& events);
  void Result(const JsonObject& message, RecordEvents& events);

  TurnTracker turns_;
};

}  // namespace turnlog
