// What the messages and parts of opencode mean. docs/formats/opencode.md has the rules.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "migrate/opencode/message.h"
#include "migrate/opencode/tool_part.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kOpencode = "opencode";

// A record is a message with its parts, or one part.
class OpencodeConverter final : public RecordConverter {
 public:
  OpencodeConverter() : message_(std::make_shared<OpencodeMessage>()) {}
  // `message`: of the parts that are read; who reads them changes it.
  explicit OpencodeConverter(std::shared_ptr<OpencodeMessage> message) : message_(std::move(message)) {}

  RecordHead Head(const JsonObject& record) const override;
  bool IsRecord(const JsonObject& object) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  void Part(std::string_view text, const JsonObject& part, RecordEvents& events);
  void User(const JsonObject& part, RecordEvents& events);
  void Text(const JsonObject& part, RecordEvents& events);
  void Reasoning(const JsonObject& part, RecordEvents& events);
  void Tool(const OpencodeTool& tool, RecordEvents& events);
  Json Metadata(std::string_view opaque = {}) const;

  std::shared_ptr<OpencodeMessage> message_;
  std::string prompted_;  // the message that began the current turn
  std::string stepped_;   // the message of `steps_`
  std::size_t steps_ = 0;
  TurnTracker turns_;
};

// The part in a record: the record itself, or the data of a row.
JsonObject PartOf(const JsonObject& record);

// What a part says, as JSON: the same for a file and for the row that opencode makes of it.
std::string MeaningOfPart(std::string_view record);

}  // namespace turnlog
