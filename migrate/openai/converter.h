// What the messages and items of OpenAI's APIs mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/openai/server_approval.h"
#include "migrate/records/content_text.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

// Of an answer of Mistral's models: their reasoning, as a list of parts.
bool IsThinkingPart(const JsonObject& part);

class OpenAiConverter final : public RecordConverter {
 public:
  OpenAiConverter() = default;
  // `time`: when the response was made that the records are of.
  explicit OpenAiConverter(std::optional<Timestamp> time) : time_(time) {}

  RecordHead Head(const JsonObject& /*record*/) const override { return {.id = {}, .time = time_}; }
  bool IsRecord(const JsonObject& object) const override;
  // A message of a chat, one of the choices of a response, or an item of the Responses API.
  void Convert(const JsonObject& record, RecordEvents& events) override;
  // Of the user.
  void Prompt(ContentText text, RecordEvents& events);

 private:
  void Choice(const JsonObject& message, RecordEvents& events);
  void Assistant(const JsonObject& message, RecordEvents& events);
  void Compacted(const JsonObject& item, RecordEvents& events);
  void Approval(const ServerApproval& approval, RecordEvents& events);
  void Result(const JsonObject& message, RecordEvents& events);
  void FunctionCall(const JsonObject& function, RecordEvents& events);
  void FunctionResult(const JsonObject& message, RecordEvents& events);
  void AddResult(std::string call, std::string_view content, RecordEvents& events);

  const std::optional<Timestamp> time_;
  TurnTracker turns_;
  std::size_t functions_ = 0;     // that were called
  bool awaits_function_ = false;  // its result
};

}  // namespace turnlog
