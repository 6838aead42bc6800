// The state of a run of the OpenAI Agents SDK: what it has done so far, and the approvals that it waits for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/openai/converter.h"
#include "migrate/openai_agents/decisions.h"
#include "migrate/records/record_source.h"

namespace turnlog {

// Whether a document is one, whatever its version and the language of its SDK are.
bool IsRunState(std::string_view head);

// The document is one record.
class RunStateConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& /*record*/) const override { return {}; }
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  void Input(const JsonObject& state, RecordEvents& events);
  void Item(const JsonObject& item, const JsonObject& state, RecordEvents& events);
  // `agent`: that the item is of, if it says that.
  void ApiItem(const JsonObject& item, const JsonObject& agent, const JsonObject& state, RecordEvents& events);
  void Result(const JsonObject& state, ToolCallResponse& result) const;
  void Approval(const JsonObject& item, const JsonObject& state, RecordEvents& events);
  void Answers(RecordEvents& events);

  OpenAiConverter items_;
  std::set<std::string, std::less<>> seen_;   // items that the input has, too
  std::map<std::string, ToolOfRun> tools_;    // of the calls so far
  std::set<std::string, std::less<>> asked_;  // calls whose approval was asked for
  // Requests for the approval of what a server is to run: that are items, and that an item answers.
  std::set<std::string, std::less<>> requested_, answered_;
  std::vector<InquiryResponse> answers_;  // to the questions since the last result
};

}  // namespace turnlog
