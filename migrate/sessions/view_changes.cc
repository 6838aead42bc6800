#include "migrate/sessions/view_changes.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "schema/json/json_fields.h"
#include "turnlog/event_walk.h"
#include "turnlog/open_requests.h"

namespace turnlog {
namespace {

class ChangeFold {
 public:
  explicit ChangeFold(bool results_follow) : results_follow_(results_follow) {}

  // A moved event has a rule, and is out of the order of seqs.
  void Add(const Record& record, const EventView& event) {
    const std::uint64_t seq = record.seq.value;
    const bool repaired = record.inserted || !record.rule.empty();
    if (repaired) {
      changes_.after[last_].push_back(Own(event));
      if (!record.inserted) changes_.absent.insert(seq);
    } else {
      for (++last_; last_ < seq; ++last_) changes_.absent.insert(last_);
    }
    Pair(event, repaired ? 0 : seq);
  }

  // The sanitizer leaves the incomplete last turn alone; a tool would send it as it is.
  ViewChanges Finish(Seq last) {
    for (++last_; last_ <= last.value; ++last_) changes_.absent.insert(last_);
    for (const Call& call : calls_) {
      if (call.answered || call.seq == 0) continue;
      const ToolCallResponse closed{
          .id = call.id, .content = "Tool call was interrupted.", .is_error = true, .denied = {}};
      changes_.after[call.seq].push_back({.body = closed});
    }
    changes_.absent.insert(strays_.begin(), strays_.end());
    return std::move(changes_);
  }

 private:
  struct Call {
    std::string id;
    std::uint64_t seq = 0, message = 0;
    bool answered = false;
  };

  // `seq`: 0 if a repair shows the event.
  void Pair(const EventView& event, std::uint64_t seq) {
    if (event.kind() == EventKind::kTurnStart) {
      open_.Clear();
      calls_.clear(), strays_.clear();
      answered_ = true;
    } else if (const auto* call = std::get_if<ToolCallRequestView>(&event.body)) {
      CountMessage(event);
      open_.Open(call->id, calls_.size());
      calls_.push_back({std::string(call->id), seq, message_});
    } else if (std::holds_alternative<ChatResponseView>(event.body)) {
      CountMessage(event);
    } else if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) {
      if (const auto index = open_.Close(result->id)) {
        Answer(calls_[*index], event, seq);
      } else if (seq != 0) {
        strays_.push_back(seq);
      }
    }
  }

  // A message may go on after the results of its first calls.
  void CountMessage(const EventView& event) {
    std::string id = FindJsonString(event.metadata.text(), "message_id").value_or("");
    const bool same = !id.empty() && id == message_id_;
    if (answered_ && !same) {
      ++message_;
      answered_ = false;
    }
    message_id_ = std::move(id);
  }

  void Answer(Call& call, const EventView& event, std::uint64_t seq) {
    call.answered = true;
    const bool late = call.message != message_;
    if (!late) answered_ = true;
    if (!late || !results_follow_ || seq == 0 || call.seq == 0) return;
    changes_.absent.insert(seq);
    changes_.after[call.seq].push_back(Own(event));
  }

  const bool results_follow_;
  ViewChanges changes_;
  std::uint64_t last_ = 0;  // of the events that are shown in their place
  // Of the last turn so far:
  OpenRequests open_;
  std::vector<Call> calls_;
  std::vector<std::uint64_t> strays_;
  std::string message_id_;
  std::uint64_t message_ = 0;  // counts the messages of the model's
  bool answered_ = true;       // a call of the last one has its result
};

}  // namespace

Result<ViewChanges> FindViewChanges(Log& log, const ConversationId& conversation, bool results_follow) {
  ChangeFold fold(results_follow);
  const auto cursor = TURNLOG_TRY(log.Read(conversation));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
    fold.Add(record, event);
    return Result<Walk>(Walk::kOn);
  }));
  const ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  return fold.Finish(info.last);
}

}  // namespace turnlog
