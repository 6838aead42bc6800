// What the records of a Codex rollout mean. docs/formats/codex.md has the rules.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

 private:
  // Which of the two records of a prompt was seen first.
  enum class Twin : std::uint8_t { kItem, kEvent };

  void Meta(const JsonObject& payload, const RecordHead& head);
  bool IsCopied(std::string_view type, const JsonObject& payload, const RecordHead& head);
  void EventMessage(const JsonObject& payload, RecordEvents& events);
  void Item(const JsonObject& item, RecordEvents& events);
  void Message(const JsonObject& item, RecordEvents& events);
  void Prompt(std::string text, std::string_view token, RecordEvents& events);
  void Questions(const Event& event, RecordEvents& events);
  void Output(ItemOutput output, RecordEvents& events);
  void Compacted(const JsonObject& payload, RecordEvents& events);
  void RolledBack(const JsonObject& payload, RecordEvents& events);
  bool TakeTwin(Twin other, const std::string& text);
  void Remember(Twin twin, std::string text);

  std::optional<std::string> thread_;  // the file's identity: of its first session_meta
  // While set, records are copies of another session's, made at this time.
  std::optional<Timestamp> copied_at_;
  std::deque<std::pair<Twin, std::string>> prompts_;  // the last ones whose twin has not been seen
  std::vector<std::uint64_t> live_turns_;             // indexes of the turns that were not rolled back
  TurnTracker turns_;
  std::map<std::string, std::vector<CodexQuestion>, std::less<>> asked_;  // open questions, by call
};

}  // namespace turnlog
