// The records that earlier imports of a source have brought into the log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/earlier_records.h"
#include "turnlog/log.h"

namespace turnlog {

// The event of the conversation with this event id.
Result<std::optional<Seq>> FindEvent(Log& log, const ConversationId& conversation, std::string_view id);
Result<bool> HasEvent(Log& log, const ConversationId& conversation, std::string_view id);

// The first event of the conversation with the event id of one of these; 0: there is none.
Result<Seq> FindRecord(Log& log, const ConversationId& conversation, std::span<const EventView> record);

class LoggedRecords final : public EarlierRecords {
 public:
  explicit LoggedRecords(Log& log) : log_(log) {}

  // The conversations of the source, in the order of their files. `unlisted`: hashes of the ids of its records that are
  // not the id of an event.
  void Add(const ConversationId& conversation, std::vector<std::uint64_t> unlisted);
  // Before those: a conversation that the first of them has copied.
  void AddCopied(const ConversationId& conversation) {
    conversations_.insert(conversations_.begin(), {conversation, {}});
  }
  void Clear() { conversations_.clear(); }

  Found Find(std::string_view conversation, std::string_view id) override;
  bool HasAsOwn(std::string_view conversation, std::string_view id) override;
  std::string Read(std::string_view conversation, std::string_view id) override;
  std::optional<std::string> OpenQuestions(std::string_view conversation, std::string_view call) override;
  bool HasAsked(std::string_view conversation, std::string_view inquiry) override;
  std::vector<std::string> AskingCalls(std::string_view conversation) override;
  // An error of the log in one of those above.
  const Status& status() const { return status_; }

 private:
  struct Conversation {
    ConversationId id;
    std::vector<std::uint64_t> unlisted;  // in order
  };

  template <class T>
  T ValueOf(Result<T> result);
  const ConversationId* IdOf(std::string_view conversation) const;
  bool Has(const Conversation& conversation, std::string_view id);
  Result<std::string> ReadBytes(const ConversationId& conversation, std::string_view id);
  Result<std::optional<std::string>> FindOpenCall(const ConversationId& conversation, std::string_view call);

  Result<std::vector<std::string>> FindAskingCalls(const ConversationId& conversation);

  Log& log_;
  std::vector<Conversation> conversations_;
  Status status_;
};

}  // namespace turnlog
