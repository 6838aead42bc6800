// What the records of a Codex rollout mean. docs/formats/codex.md has the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/codex/copied_records.h"
#include "migrate/codex/open_questions.h"
#include "migrate/codex/questions.h"
#include "migrate/codex/repeated_texts.h"
#include "migrate/openai/items.h"
#include "migrate/records/content_text.h"
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
  void KeepCopies() override { copied_.KeepAll(); }
  bool AwaitsSecret() const override { return asked_.AwaitsSecret(); }

 private:
  void EventMessage(const JsonObject& payload, RecordEvents& events);
  void Completed(const JsonObject& item, RecordEvents& events);
  void Item(const JsonObject& item, RecordEvents& events);
  void Message(const JsonObject& item, RecordEvents& events);
  void OtherAgent(const JsonObject& message, RecordEvents& events);
  void Prompt(TextRecord record, std::string_view typed, ContentText text, RecordEvents& events);
  void Answer(TextRecord record, const JsonObject& item, ContentText text, RecordEvents& events);
  void Questions(const Event& event, RecordEvents& events);
  ItemOutput RedactedOutput(const std::vector<CodexQuestion>& asked, const JsonObject& item, RecordEvents& events);
  void Output(const std::vector<CodexQuestion>& asked, ItemOutput output, RecordEvents& events);
  void Compacted(const JsonObject& payload, RecordEvents& events);
  void RolledBack(const JsonObject& payload, RecordEvents& events);
  void Aborted(RecordEvents& events);

  CopiedRecords copied_;
  RepeatedTexts prompts_;                  // what the user typed
  RepeatedTexts answers_;                  // what the model said
  bool paginated_ = false;                 // the session has no items of texts, or not all
  std::vector<std::uint64_t> live_turns_;  // indexes of the turns that were not rolled back
  TurnTracker turns_;
  OpenCodexQuestions asked_;
};

}  // namespace turnlog
