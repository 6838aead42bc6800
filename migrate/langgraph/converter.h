// What the checkpoints and writes of a LangGraph thread mean. docs/formats/langgraph.md has the rules.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/langgraph/interrupt.h"
#include "migrate/langgraph/message.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kLangGraph = "langgraph";

// A checkpoint has all messages of its state: those that no earlier one had become events.
class LangGraphConverter final : public RecordConverter {
 public:
  // `tasks`: the interrupted ones of the checkpoint whose writes are converted.
  explicit LangGraphConverter(std::shared_ptr<const InterruptedTasks> tasks) : tasks_(std::move(tasks)) {}

  RecordHead Head(const JsonObject& record) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  // Turns, with the message that began each.
  struct Prompt {
    std::string key;
    bool hidden = false;
  };
  // The last ones of a task.
  struct Questions {
    std::vector<InquiryRequest> requests;
    bool closed = false;  // answered, or the task is done
  };

  void Checkpoint(const JsonObject& state, RecordEvents& events);
  void Message(const LangMessage& message, RecordEvents& events);
  void Human(const LangMessage& message, RecordEvents& events);
  void Ai(const LangMessage& message, RecordEvents& events);
  void Block(std::string_view text, RecordEvents& events);
  void ToolResult(const LangMessage& message, RecordEvents& events);
  bool IsHidden(const LangMessage& message) const;
  void HideWhatIsGone(const std::set<std::string>& present, RecordEvents& events);
  void Write(const JsonObject& write, RecordEvents& events);
  void Interrupts(const std::string& task, std::string_view value, RecordEvents& events);
  void ResumeThread(std::string_view answer, RecordEvents& events);
  void ResumeTask(const std::string& task, std::string_view value, RecordEvents& events);

  std::set<std::string> seen_;  // keys of messages
  std::vector<Prompt> prompts_;
  std::map<std::string, std::size_t> last_prompts_;  // by key, the last of prompts_ that has it
  std::shared_ptr<const InterruptedTasks> tasks_;
  std::map<std::string, Questions> asked_;  // by task, after the last checkpoint
  TurnTracker turns_;
};

}  // namespace turnlog
