// What OpenAI's Responses API requires of a list of items, in a request or in a session of Codex.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/call_pairs.h"
#include "doctor/session_checks.h"
#include "doctor/session_images.h"

namespace turnlog {

class ResponseItems {
 public:
  // Makes a record of an item that follows `call`, which is what Take was given.
  using Wrap = std::function<std::string(const std::string& item, const std::string& call)>;

  ResponseItems(const CheckContext& context, Wrap wrap)
      : context_(context), images_(Provider::kOpenAiResponses, context.diagnosis), wrap_(std::move(wrap)) {}

  // `item`: in the record. `around`: what Wrap needs if it is a call. False: the record was removed.
  bool Take(const SessionRecord& record, const RecordPiece& piece, const JsonObject& item, std::string around);
  // What follows is another request.
  void PassCalls() { calls_.PassCalls(); }
  // What follows is sent without what was before.
  void Forget();
  // Where records were inserted, with their number.
  std::map<std::uint64_t, std::size_t> Finish();

 private:
  // What is kept of a call until its output comes.
  struct Call {
    std::string type, around;
    std::uint64_t end = 0;  // of its record
  };

  bool TakeReasoning(const SessionRecord& record, const RecordPiece& piece, const JsonObject& item);
  void TakeCall(const SessionRecord& record, const JsonObject& item, const std::string& type, std::string around);
  void TakeOutput(const SessionRecord& record, const JsonObject& item, const std::string& type);
  void CheckType(const SessionRecord& record, const JsonObject& item, const std::string& call,
                 const std::string& output);
  void TakeParts(const SessionRecord& record, std::string_view parts);

  const CheckContext context_;
  SessionImages images_;
  const Wrap wrap_;
  CallPairs calls_;
  std::map<std::size_t, Call> open_;
  std::size_t next_call_ = 0;
};

}  // namespace turnlog
