// A tool part of opencode: a call and what has become of it, in one object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"
#include "turnlog/event.h"

namespace turnlog {

struct OpencodeTool {
  enum class State : std::uint8_t { kCalled, kDone, kFailed };

  std::string call, name;
  std::string_view input;
  std::string_view result;  // a JSON string: the output or the error; empty: there is none
  JsonObject metadata;      // of the state
  State state = State::kCalled;

  bool HasResult() const { return state != State::kCalled && !result.empty(); }
};

// Nothing if it lacks a call id or a name.
std::optional<OpencodeTool> ReadOpencodeTool(const JsonObject& part);

// REQUIRES: tool.HasResult().
ToolCallResponse ReadOpencodeResult(const OpencodeTool& tool);

// The questions of the tool `question`, by their positions; none of another tool.
std::vector<InquiryRequest> ReadOpencodeQuestions(const OpencodeTool& tool);

// The outcome of question `number`, from 0. REQUIRES: tool.HasResult().
InquiryResponse ReadOpencodeAnswer(const InquiryRequest& asked, std::size_t number, const OpencodeTool& tool);

}  // namespace turnlog
