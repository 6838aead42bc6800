// turnlog::Log over SQL.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/sql/append_calls.h"
#include "store/sql/append_hints.h"
#include "store/sql/appender.h"
#include "store/sql/buffered_appends.h"
#include "store/sql/connection_pool.h"
#include "store/sql/conversation_head.h"
#include "store/sql/event_reader.h"
#include "turnlog/sql_log.h"

namespace turnlog {

class SqlLog : public Log {
 public:
  static Result<std::unique_ptr<Log>> Open(PoolOptions options, OpenMode mode);
  ~SqlLog() override;

  Capabilities capabilities() const override;
  using Log::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override;
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override;
  Status Wait(Ticket ticket, Durability durability) override;
  Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                            const EraseOptions& options) override;
  Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                              const EventView& redaction, const RedactOptions& options) override;
  Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation, const ReadOptions& options) override;
  Result<ConversationInfo> Info(const ConversationId& conversation) override;
  Result<std::vector<ConversationInfo>> List(std::string_view after, std::size_t limit) override;
  Result<std::vector<InquiryRecord>> FindInquiryRaw(const ConversationId& conversation,
                                                    const InquiryIdView& id) override;
  Result<std::vector<PendingInquiry>> PendingRaw(const std::optional<ConversationId>& conversation) override;
  Result<std::vector<RepairRange>> Repairs(const ConversationId& conversation) override;
  Result<std::optional<Watermark>> FindWatermark(std::string_view consumer,
                                                 const ConversationId& conversation) override;
  Status SetWatermark(std::string_view consumer, const ConversationId& conversation,
                      const Watermark& watermark) override;
  Result<std::vector<ConversationInfo>> ListChanged(std::string_view consumer, std::string_view after,
                                                    std::size_t limit, Changes which) override;
  Result<std::unique_ptr<Tail>> Follow(const Position& from,
                                       const std::optional<ConversationId>& conversation) override;
  Result<Position> End() override;
  Result<StoreStats> Stats() override;
  Status VisitStorage(const StorageScan& scan, StorageVisitor& visitor) override;
  Status Refresh() override;
  Status Checkpoint() override;
  Status Close() override;

 private:
  explicit SqlLog(const PoolOptions& options) : pool_(options), buffered_(pool_), appender_(pool_, store_, buffered_) {}

  // Events that are to be erased or redacted, and the rows that hold them.
  struct StoredEvents;

  Status MustBeWritable() const;
  // One that does not exist if there is no such conversation.
  Result<ConversationHead> FindHeadIfAny(const ConversationId& conversation);
  // kNotFound: there is no such conversation.
  Result<ConversationHead> FindHeadOf(const ConversationId& conversation);
  Result<std::optional<std::uint64_t>> TurnStart(const ConversationKey& key, std::uint64_t turn);
  Result<bool> Matches(const ConversationHead& head, const InquiryRecord& record, const InquiryIdView& id);
  static Result<std::vector<ConversationInfo>> InfosIn(const SqlRows& rows);
  // Calls `change`, which reads the head and runs one transaction, again after a conflict with another writer, and
  // after a lost connection.
  template <class ChangeFn>
  auto Change(ChangeFn change);
  SqlResult<ConversationHead> HeadToChange(const ConversationId& conversation, const std::optional<Seq>& expected);
  Result<StoredEvents> FindStored(const ConversationHead& head, std::span<const std::uint64_t> seqs);
  // `in_doubt`: what an attempt has erased if its acknowledgement was lost; nothing at first.
  SqlResult<EraseReport> TryErase(const ConversationId& conversation, std::span<const std::uint64_t> seqs,
                                  const EraseOptions& options, EraseReport& in_doubt);
  struct Redaction;
  SqlResult<RedactReport> TryRedact(const ConversationId& conversation, Redaction& redaction,
                                    const RedactOptions& options);
  // Wakes the tails of this process; the hint wakes those of others.
  void OnAppend();
  void WakeTails();

  ConnectionPool pool_;
  SqlStoreIdentity store_;  // read when the log is opened
  BufferedAppends buffered_;
  Appender appender_;
  std::mutex appended_mutex_;
  std::condition_variable appended_;
  std::atomic<std::uint64_t> appends_ = 0;  // of any process, as far as is known
  std::atomic<bool> closed_ = false;
  std::optional<AppendHints> hints_;  // once it is open; ends first, since its threads call WakeTails
};

}  // namespace turnlog
