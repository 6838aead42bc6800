// What the ModelMessages of the Vercel AI SDK mean. docs/formats/ui_messages.md has the rules.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

class ModelMessageConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& record) const override;
  bool IsRecord(const JsonObject& object) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  // Of a call that has no result yet.
  struct Approval {
    InquiryRequest asked;
    bool automatic = false;  // the program's rules decide
    bool answered = false;
    std::optional<Denial> denial;
  };

  void User(const JsonObject& message, RecordEvents& events);
  void Content(const JsonObject& message, RecordEvents& events);
  void Part(std::string_view text, RecordEvents& events);
  bool AddPart(const JsonObject& part, RecordEvents& events);
  bool Call(const JsonObject& part, RecordEvents& events);
  bool Result(const JsonObject& part, RecordEvents& events);
  bool Ask(const JsonObject& part, RecordEvents& events);
  bool Answer(const JsonObject& part, RecordEvents& events);
  std::optional<Denial> EndApproval(const std::string& call, RecordEvents& events);

  TurnTracker turns_;
  std::map<std::string, std::string> tools_;      // the names of what this message calls, by the calls
  std::map<std::string, Approval> approvals_;     // by their calls
  std::map<std::string, std::string> approving_;  // the calls, by the ids of approvals without an answer
};

}  // namespace turnlog
