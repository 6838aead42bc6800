// What the records of a Claude Code file mean. docs/formats/claude_code.md has the rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/claude_code/kept_turns.h"
#include "migrate/claude_code/prompt_ids.h"
#include "migrate/claude_code/questions.h"
#include "migrate/claude_code/queued_prompts.h"
#include "migrate/claude_code/sidechains.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kClaudeCode = "claude-code";

class ClaudeCodeConverter final : public RecordConverter {
 public:
  // `session`: of the conversation, which is that of its agents' conversations. `agent`: the file is of a subagent.
  ClaudeCodeConverter(std::string session, bool agent)
      : session_(session), agent_(agent), sidechains_(std::move(session)) {}

  RecordHead Head(const JsonObject& record) const override;
  std::uint64_t HashContents(const JsonObject& record) const override;
  bool IsRecord(const JsonObject& object) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;
  std::optional<std::string> Save() const override;
  bool Restore(std::string_view state, OpenQuestions open) override;
  void KeepCopies() override;
  SideRecords* Side(const JsonObject& record) override;

 private:
  bool IsCopy(const JsonObject& record) const;
  std::vector<InquiryRequest> TakeOpen(const std::string& call);
  void User(const JsonObject& record, RecordEvents& events);
  void Interrupted(RecordEvents& events);
  void Prompt(const JsonObject& record, std::string_view content, RecordEvents& events);
  void Result(const JsonObject& record, const JsonObject& block, RecordEvents& events);
  void Answers(const std::vector<InquiryRequest>& asked, const ClaudeAnswers& given, RecordEvents& events);
  void Summary(std::string_view content, RecordEvents& events);
  void Queued(const JsonObject& attachment, RecordEvents& events);
  void Dequeued(const JsonObject& record, RecordEvents& events);
  void Assistant(const JsonObject& message, RecordEvents& events);
  Json Links(const JsonObject& result, const ToolCallResponse& response);
  void Questions(const Event& event, RecordEvents& events);

  // The answers to questions that come after them in the file.
  struct EarlyAnswers {
    std::string result, content;
  };

  const std::string session_;
  const bool agent_;
  bool keeps_copies_ = false;
  TurnTracker turns_;
  ClaudePromptIds prompt_ids_;
  ClaudeQueuedPrompts queued_;
  ClaudeKeptTurns kept_turns_;
  ClaudeSidechains sidechains_;
  std::map<std::string, std::vector<InquiryRequest>, std::less<>> asked_;  // open questions, by call
  std::map<std::string, EarlyAnswers, std::less<>> answered_;              // by call
  std::set<std::uint64_t> asked_earlier_;  // hashes of calls with open questions that were read earlier
  OpenQuestions open_earlier_;
};

}  // namespace turnlog
