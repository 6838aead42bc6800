// Subagents whose records are between those of their session: each is a conversation of its own.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "base/hash_map.h"
#include "migrate/records/record_source.h"
#include "turnlog/event.h"

namespace turnlog {

// Whether the record is of a subagent: marked as one of a sidechain, or in `stream-json` by the call that runs it.
inline bool IsOfSidechain(const JsonObject& record) {
  return record.IsTrue("isSidechain") || IsJsonString(record["parent_tool_use_id"]);
}

// The sidechains of one file. Memory: about 40 bytes for each of their records, and the prompts of calls that run.
class ClaudeSidechains {
 public:
  explicit ClaudeSidechains(std::string session) : session_(std::move(session)) {}

  bool empty() const { return sidechains_.empty(); }
  // As RecordConverter::KeepCopies.
  void KeepCopies() { keep_copies_ = true; }

  // The sidechain of a record that is marked as one; null if the record has no id.
  SideRecords* Find(const JsonObject& record);

  // A call in the session, which may run a subagent with the prompt of a sidechain.
  void AddCall(const ToolCallRequest& call);
  // The conversation that the call has run; empty if none is known. Called once, with its result.
  std::string TakeConversation(std::string_view call);

 private:
  SideRecords& Begin(const JsonObject& root, const std::string& id);
  void Link(std::string_view prompt, const std::string& conversation);

  struct Call {
    std::string prompt, conversation;
  };

  const std::string session_;
  bool keep_copies_ = false;
  std::deque<SideRecords> sidechains_;
  HashMap<std::size_t> by_record_;                  // index of the sidechain, by the id of each of its records
  std::map<std::string, Call, std::less<>> calls_;  // that run a subagent, without a result so far
};

}  // namespace turnlog
