// What the messages of Anthropic's API mean.
#pragma once

#include <string_view>

#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

class AnthropicConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& /*record*/) const override { return {}; }
  // A message of a request, or a block of a response.
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  void User(std::string_view content, RecordEvents& events);
  void Assistant(const JsonObject& message, RecordEvents& events);

  TurnTracker turns_;
};

}  // namespace turnlog
