// turnlog::Log over the calls of a service.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "remote/append_queue.h"
#include "remote/forms.h"
#include "remote/service_client.h"
#include "turnlog/log.h"
#include "turnlog/service/remote_log.h"

namespace turnlog {

class RemoteLog : public Log {
 public:
  RemoteLog(std::shared_ptr<ServiceClient> client, StoreForm store, OpenMode mode)
      : client_(std::move(client)), store_(std::move(store)), mode_(mode) {}
  RemoteLog(const RemoteLog&) = delete;
  RemoteLog& operator=(const RemoteLog&) = delete;
  ~RemoteLog() override {
    client_->StopRetrying();
    (void)RemoteLog::Close();
  }

  ServiceClient& client() { return *client_; }

  Capabilities capabilities() const override { return store_.capabilities; }

  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override;
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    return Append(conversation, events, options);
  }
  Status Wait(Ticket, Durability) override { return client_->MustBeOpen(); }
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
  std::vector<std::string> OpenNotes() const override { return store_.notes; }
  Status Refresh() override { return client_->MustBeOpen(); }
  Status Checkpoint() override;
  // The service goes on.
  Status Close() override;

 private:
  Status MustBeWriter() const;
  Result<AppendResult> SendAppend(const ConversationId& conversation, std::span<const EventView> events,
                                  const AppendOptions& options);
  AppendQueue::Outcomes SendAppends(std::span<const std::string_view> appends, Durability durability,
                                    AppendQueue::Time since);
  Result<std::vector<ConversationInfo>> ListPages(const std::string& query, std::string_view after, std::size_t limit);

  const std::shared_ptr<ServiceClient> client_;
  const StoreForm store_;
  const OpenMode mode_;
  // Buffered appends do not wait for the sync of others.
  AppendQueue synced_{[this](auto appends, auto since) { return SendAppends(appends, Durability::kSync, since); }};
  AppendQueue buffered_{
      [this](auto appends, auto since) { return SendAppends(appends, Durability::kBuffered, since); }};
  std::atomic<bool> unsynced_ = false;  // something was written that a crash of the machine may undo
};

}  // namespace turnlog
