// What a conversation is doing: a fold over the events of its last turn, the same while the agent works and after a
// restart. docs/inquiries.md says which events mean what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/open_requests.h"
#include "turnlog/types.h"

namespace turnlog {

enum class Activity : std::uint8_t {
  kIdle,          // nothing is left to be done
  kCallingModel,  // the model's next word is due
  kRunningTools,  // a call waits for its result
  kAwaitingUser,  // an inquiry waits for its answer; other calls may be running
};

// "idle", "calling_model", "running_tools", "awaiting_user".
std::string_view ToString(Activity activity);

// An inquiry and what became of it.
struct InquiryState {
  Seq asked;
  InquiryRequest request;
  std::optional<InquiryResponse> response;  // none: it waits for its answer
  bool operator==(const InquiryState&) const = default;
};

// A tool call that waits for its result.
struct OpenCall {
  Seq seq;
  ToolCallRequest request;
  std::vector<std::uint64_t> asked;  // seqs of the inquiries made for it, in order; TurnState::InquiriesOf
  bool operator==(const OpenCall&) const = default;
};

class TurnState {
 public:
  // REQUIRES: in order of seq, from the beginning of the last turn or earlier. Pairs as OpenRequests does; an unmatched
  // response changes nothing. Constant time, amortised over the turn.
  void Apply(Seq seq, const EventView& event);

  Activity activity() const;
  Seq last() const { return last_; }  // of the events applied; 0 if there was none

  // Oldest first. All pointers are valid until the next Apply, and as long as the state. Cost: what is open.
  std::vector<const OpenCall*> calls() const&;
  std::vector<const InquiryState*> questions() const&;  // that wait for their answer
  // The inquiries of an open call, answered or not, oldest first. Those without parts in their id belong to none.
  std::vector<const InquiryState*> InquiriesOf(const OpenCall& call) const&;
  // What its questions were answered, by question id, the last answer of each.
  std::map<std::string, Json> AnswersOf(const OpenCall& call) const;
  // The open call that an inquiry of this state was made for; null if none.
  const OpenCall* CallOf(const InquiryState& inquiry) const&;

  // The one that a response with this id would close; null if none.
  const OpenCall* FindCall(std::string_view id) const&;
  const InquiryState* FindQuestion(std::string_view inquiry_id) const&;

  // A temporary is gone before what they point to could be looked at: `for (... : recorder->state().calls())`.
  std::vector<const OpenCall*> calls() const&& = delete;
  std::vector<const InquiryState*> questions() const&& = delete;
  std::vector<const InquiryState*> InquiriesOf(const OpenCall& call) const&& = delete;
  const OpenCall* CallOf(const InquiryState& inquiry) const&& = delete;
  const OpenCall* FindCall(std::string_view id) const&& = delete;
  const InquiryState* FindQuestion(std::string_view inquiry_id) const&& = delete;

  bool operator==(const TurnState&) const = default;

 private:
  struct KeptInquiry {
    InquiryState state;
    std::uint64_t call = 0;  // seq of the call for which it was asked; 0: none
    bool operator==(const KeptInquiry&) const = default;
  };

  void StartTurn();
  void OpenRequest(std::uint64_t seq, const ToolCallRequestView& request);
  void Close(const ToolCallResponseView& response);
  void Ask(std::uint64_t seq, const EventView& event);
  void Answer(const EventView& event);

  Seq last_;
  bool model_is_due_ = false;
  bool ended_ = false;                                        // by the user's wish, so that no chat_response is due
  std::unordered_map<std::uint64_t, OpenCall> calls_;         // by seq
  std::unordered_map<std::uint64_t, KeptInquiry> inquiries_;  // by seq: those that wait, and all of open calls
  OpenRequests open_calls_, open_inquiries_;                  // by seq
};

}  // namespace turnlog
