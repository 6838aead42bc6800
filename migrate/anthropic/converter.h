// What the messages of Anthropic's API mean.
#pragma once

#include <string_view>

#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

class AnthropicConverter final : public RecordConverter {
 public:
  // `has_blocks`: the records are blocks.
  explicit AnthropicConverter(bool has_blocks = false) : has_blocks_(has_blocks) {}

  RecordHead Head(const JsonObject& /*record*/) const override { return {}; }
  bool IsRecord(const JsonObject& object) const override;
  // A message of a request, or a block of a response.
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  void User(std::string_view content, RecordEvents& events);
  void Assistant(const JsonObject& message, RecordEvents& events);
  void Block(const JsonObject& message, std::string_view text, RecordEvents& events);

  TurnTracker turns_;
  bool has_blocks_;
};

}  // namespace turnlog
