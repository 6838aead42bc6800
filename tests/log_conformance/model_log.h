// A model of the log: in memory, single-threaded, every answer computed from all events.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// Answers in the text forms of log_fixture.h.
class ModelLog {
 public:
  // The seqs, repeated ones negative, as "1 -2 3"; or the error's code as a word. `events` are valid.
  std::string Append(const std::string& conversation, const std::vector<Event>& events,
                     std::optional<Seq> expected_last);

  bool Has(const std::string& conversation) const { return conversations_.contains(conversation); }
  std::uint64_t Last(const std::string& conversation) const;
  std::vector<std::string> Read(const std::string& conversation, const ReadOptions& options) const;
  std::vector<std::string> AttemptLines(const std::string& conversation, const InquiryId& id) const;
  std::vector<std::string> Pending() const;
  std::vector<std::string> Pending(const std::string& conversation) const;
  std::vector<std::string> List(std::string_view after, std::size_t limit) const;  // as InfoLine
  const std::vector<std::string>& Tail() const { return tail_; }                   // as TailLines

 private:
  struct InquiryAttempt {
    InquiryId id;
    bool secret = false;
    std::uint64_t turn = 0, request = 0, response = 0;
    bool refused = false;  // its response answers a secret in clear
    bool pending = false;
  };
  using Events = std::vector<Event>;
  static std::uint64_t TurnAt(const Events& events, std::size_t index);
  static std::vector<InquiryAttempt> AllAttempts(const Events& events);

  std::map<std::string, Events> conversations_;
  std::vector<std::string> tail_;
};

// "ID LAST TURNS PENDING FIRST_TIME LAST_TIME"
std::string InfoLine(const ConversationInfo& info);

}  // namespace turnlog
