// What the checkpoints and writes of a LangGraph thread mean. docs/formats/langgraph.md has the rules.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/langgraph/message.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kLangGraph = "langgraph";

// A checkpoint has all messages of its state: those that no earlier one had become events.
class LangGraphConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& record) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  // Turns, with the message that began each.
  struct Prompt {
    std::string key;
    bool hidden = false;
  };

  void Checkpoint(const JsonObject& state, RecordEvents& events);
  void Message(const LangMessage& message, RecordEvents& events);
  void Human(const LangMessage& message, RecordEvents& events);
  void Ai(const LangMessage& message, RecordEvents& events);
  void Block(std::string_view text, RecordEvents& events);
  void ToolResult(const LangMessage& message, RecordEvents& events);
  void HideWhatIsGone(const std::set<std::string>& present, RecordEvents& events);
  void Interrupts(const JsonObject& write, RecordEvents& events);
  void Resume(const JsonObject& write, RecordEvents& events);

  std::set<std::string> seen_;  // keys of messages
  std::vector<Prompt> prompts_;
  std::string interrupted_;            // the checkpoint of the open questions
  std::vector<InquiryRequest> asked_;  // in it
  TurnTracker turns_;
};

}  // namespace turnlog
