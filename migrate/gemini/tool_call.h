// A tool call of a Gemini message: the call and what has become of it, in one object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

struct GeminiCall {
  enum class State : std::uint8_t { kCalled, kAsked, kRunning, kDone, kFailed, kCancelled };

  std::string id, name;  // the id may be empty
  std::string_view arguments;
  std::string_view result;     // as in the call; empty: there is none
  std::string_view signature;  // a JSON string, opaque; empty: there is none
  State state = State::kCalled;

  bool HasResult() const { return state == State::kCancelled || (!result.empty() && state >= State::kDone); }
};

// Nothing if it lacks a name.
std::optional<GeminiCall> ReadGeminiCall(const JsonObject& call);

// The result of a call: its text is one JSON string of the source, or it is the JSON itself.
struct GeminiResult {
  ToolCallResponse response;
  std::string_view token;  // empty: the content is the JSON of `GeminiCall::result`
  bool stopped = false;    // cancelled without a decision about the call
};

// REQUIRES: call.HasResult().
GeminiResult ReadGeminiResult(const GeminiCall& call);

// The questions of the tool ask_user; none of another tool.
std::vector<InquiryRequest> ReadGeminiQuestions(const GeminiCall& call);

// The outcome of question `number`, from 0.
InquiryResponse ReadGeminiAnswer(const InquiryRequest& asked, std::size_t number, const GeminiResult& result);

// What became of the question whether the call may run, of which only its result is known.
InquiryResponse ReadGeminiApproval(const InquiryRequest& asked, const GeminiCall& call, const GeminiResult& result);

}  // namespace turnlog
