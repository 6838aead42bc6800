// What the records of a Gemini CLI session mean. docs/formats/gemini.md has the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "migrate/gemini/tool_call.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kGeminiName = "gemini";

// A message is recorded again each time that it changes, as a line with the same id. Its events are taken when they are
// first seen, so that a file that grows has the same events at its beginning.
class GeminiConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& record) const override;
  bool IsRecord(const JsonObject& object) const override;
  // Of a document: a message of the model that has nothing yet.
  bool IsUnfinished(const JsonObject& record) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;
  std::optional<std::string> Save() const override;
  bool Restore(std::string_view state, OpenQuestions open) override;
  void RepeatQuestions(std::function<bool(std::string_view inquiry)> asked) override { asked_ = std::move(asked); }

 private:
  enum class CallProgress : std::uint8_t { kCalled, kAsked, kDone, kApproved };

  // What was taken of a message.
  struct Seen {
    std::uint64_t begun = 0;    // turns that had begun before it
    bool prompt = false;        // began one itself
    std::uint64_t content = 0;  // hash of the text; 0: none
    std::size_t thoughts = 0;
    std::vector<CallProgress> calls;

    bool any() const { return prompt || content != 0 || thoughts > 0 || !calls.empty(); }
    // The index of the turn that it is in. REQUIRES: any().
    std::uint64_t turn() const { return prompt ? begun : begun - 1; }
  };

  void Message(const JsonObject& message, RecordEvents& events);
  void User(const JsonObject& message, Seen& seen, RecordEvents& events);
  void Model(const JsonObject& message, Seen& seen, RecordEvents& events);
  void Thought(std::string_view text, RecordEvents& events);
  void Text(std::string_view content, Seen& seen, RecordEvents& events);
  void Calls(const JsonObject& message, Seen& seen, RecordEvents& events);
  std::string IdOfCall(const JsonObject& message, std::size_t number);
  void Call(const GeminiCall& call, CallProgress& progress, RecordEvents& events);
  void Result(const GeminiCall& call, CallProgress& progress, RecordEvents& events);
  void Set(const JsonObject& changes, RecordEvents& events);
  void HideAbsent(const std::vector<JsonObject>& messages, RecordEvents& events);
  void Rewind(const std::optional<std::string>& id, RecordEvents& events);
  void Hide(std::uint64_t from_turn, std::uint64_t to_turn, std::string_view why, RecordEvents& events);
  void BeforeOther(Seen& seen, RecordEvents& events);

  std::unordered_map<std::uint64_t, Seen> messages_;  // by the hashes of their ids
  TurnTracker turns_;
  std::uint64_t unnamed_calls_ = 0;                      // calls without an id in messages without one
  std::function<bool(std::string_view inquiry)> asked_;  // none: every question is in the file
};

}  // namespace turnlog
