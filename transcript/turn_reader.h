// Folds the events of a conversation into turns as people read them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "transcript/entry.h"
#include "transcript/secret_filter.h"
#include "turnlog/log.h"
#include "turnlog/open_requests.h"

namespace turnlog {

// Pairs as OpenRequests does. Memory: one turn.
class TurnReader {
 public:
  explicit TurnReader(SecretFilter& filter) : filter_(filter) {}

  void Add(const Record& record, const EventView& event);
  // What has been added since the last call. A call or question of a turn that is over, without an outcome, is shown
  // as interrupted.
  TranscriptTurn Take(bool over);

 private:
  void Body(const ChatRequestView& body);
  void Body(const ChatResponseView& body);
  void Body(const ToolCallRequestView& body);
  void Body(const ToolCallResponseView& body);
  void Body(const InquiryRequestView& body);
  void Body(const InquiryResponseView& body);
  void Body(const VerbatimView& body);
  template <class Other>
  void Body(const Other& /*body*/) {}
  TranscriptEntry& Entry(TranscriptEntry::Kind kind);
  std::string AnswerText(const InquiryResponseView& body, bool secret);

  SecretFilter& filter_;
  TranscriptTurn turn_;
  TranscriptEntry template_;  // what all entries of the event have
  JsonView metadata_;         // of the event
  bool is_secret_answer_ = false;
  OpenRequests calls_, questions_;
  std::set<std::string> secret_questions_;          // ids of the turn's questions for secrets
  std::set<std::string> earlier_secret_questions_;  // of those in earlier turns
};

struct TurnsRead {
  std::uint64_t turns = 0;
  std::vector<Damage> damage;  // left out
};

// Calls `visit` with each turn of the sanitized view that has entries; an error of it ends the reading. kNotFound:
// there is no such conversation. Memory: one turn. `last`: up to here, where all turns are over; none: to the end.
Result<TurnsRead> ReadTurns(Log& log, const ConversationId& conversation, SecretFilter& filter,
                            const std::function<Status(TranscriptTurn turn)>& visit, std::optional<Seq> last = {});

}  // namespace turnlog
