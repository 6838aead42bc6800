// What the records of a Codex rollout mean. docs/formats/codex.md has the rules.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/codex/copied_records.h"
#include "migrate/codex/questions.h"
#include "migrate/openai/items.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kCodex = "codex";

class CodexConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& record) const override;
  bool IsRecord(const JsonObject& object) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;
  std::optional<std::string> Save() const override;
  bool Restore(std::string_view state, OpenQuestions open) override;

 private:
  // Which of the two records of a prompt was seen first.
  enum class Twin : std::uint8_t { kItem, kEvent };

  void EventMessage(const JsonObject& payload, RecordEvents& events);
  void Item(const JsonObject& item, RecordEvents& events);
  void Message(const JsonObject& item, RecordEvents& events);
  void Prompt(std::string text, std::string_view token, RecordEvents& events);
  void Questions(const Event& event, RecordEvents& events);
  void Output(ItemOutput output, RecordEvents& events);
  void Compacted(const JsonObject& payload, RecordEvents& events);
  void RolledBack(const JsonObject& payload, RecordEvents& events);
  std::vector<CodexQuestion> TakeOpen(const std::string& call);
  bool TakeTwin(Twin other, std::string_view text);
  void Remember(Twin twin, std::string_view text);

  CopiedRecords copied_;
  // The last prompts whose twin has not been seen: hashes of what the user typed.
  std::deque<std::pair<Twin, std::uint64_t>> prompts_;
  std::vector<std::uint64_t> live_turns_;  // indexes of the turns that were not rolled back
  TurnTracker turns_;
  std::map<std::string, std::vector<CodexQuestion>, std::less<>> asked_;  // open questions, by call
  std::set<std::uint64_t> asked_earlier_;  // hashes of calls with open questions that were read earlier
  OpenQuestions open_earlier_;
};

}  // namespace turnlog
