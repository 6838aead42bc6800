// The checks of one session's records: pure, from records to findings and edits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "doctor/diagnosis.h"
#include "migrate/records/mended_texts.h"

namespace turnlog {

class SessionChecks {
 public:
  virtual ~SessionChecks() = default;
  // Each record in its order.
  virtual void Take(const SessionRecord& record, const RecordPiece& piece) = 0;
  // `end`: of the last record.
  virtual void Finish() = 0;
};

struct CheckContext {
  Diagnosis& diagnosis;
  RecordEdits& records;
  std::string_view file_name;
  bool close_open = false;  // also answer calls that may be running
  bool can_insert = true;   // records
  bool can_remove = true;
  std::optional<Provider> provider{};  // known before the records say it
};

std::unique_ptr<SessionChecks> CheckClaudeSession(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckCodexSession(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckAnthropicMessages(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckOpenAiList(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckUiMessages(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckGeminiSession(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckOpencodeExport(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckOpencodeFile(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckOpencodeRows(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckJpEvents(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckJpMetadata(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckAgentsRows(const CheckContext& context);
std::unique_ptr<SessionChecks> CheckLangGraphThread(const CheckContext& context);
// The form of the file only.
std::unique_ptr<SessionChecks> CheckNoRecords(const CheckContext& context);

// Of the model that a message of opencode names; nothing if its rules are not known.
std::optional<Provider> OpencodeProvider(const JsonObject& message);

// The text as a JSON string.
std::string JsonToken(std::string_view text);

// Of a row that its tool may read: nothing of its session is changed.
inline constexpr std::string_view kUnclearRow = "its tool may read it: nothing of the session is changed";

}  // namespace turnlog
