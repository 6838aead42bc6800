// A log that forwards all calls to another one, for those that change a few of them.
#pragma once

#include "turnlog/log.h"

namespace turnlog {

class ForwardingLog : public Log {
 public:
  explicit ForwardingLog(Log& log) : log_(log) {}

  Capabilities capabilities() const override { return log_.capabilities(); }
  using Log::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override {
    return log_.Append(conversation, events, options);
  }
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    return log_.AppendLater(conversation, events, options);
  }
  Status Wait(Ticket ticket, Durability durability) override { return log_.Wait(ticket, durability); }
  Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                            const EraseOptions& options) override {
    return log_.Erase(conversation, seqs, options);
  }
  Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                              const EventView& redaction, const RedactOptions& options) override {
    return log_.Redact(conversation, replacements, redaction, options);
  }
  Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation, const ReadOptions& options) override {
    return log_.ReadRaw(conversation, options);
  }
  Result<ConversationInfo> Info(const ConversationId& conversation) override { return log_.Info(conversation); }
  Result<std::vector<ConversationInfo>> List(std::string_view after, std::size_t limit) override {
    return log_.List(after, limit);
  }
  Result<std::vector<InquiryRecord>> FindInquiryRaw(const ConversationId& conversation,
                                                    const InquiryIdView& id) override {
    return log_.FindInquiryRaw(conversation, id);
  }
  Result<std::vector<PendingInquiry>> PendingRaw(const std::optional<ConversationId>& conversation) override {
    return log_.PendingRaw(conversation);
  }
  Result<std::vector<RepairRange>> Repairs(const ConversationId& conversation) override {
    return log_.Repairs(conversation);
  }
  Result<std::optional<Watermark>> FindWatermark(std::string_view consumer,
                                                 const ConversationId& conversation) override {
    return log_.FindWatermark(consumer, conversation);
  }
  Status SetWatermark(std::string_view consumer, const ConversationId& conversation,
                      const Watermark& watermark) override {
    return log_.SetWatermark(consumer, conversation, watermark);
  }
  Result<std::vector<ConversationInfo>> ListChanged(std::string_view consumer, std::string_view after,
                                                    std::size_t limit, Changes which) override {
    return log_.ListChanged(consumer, after, limit, which);
  }
  Result<std::unique_ptr<Tail>> Follow(const Position& from,
                                       const std::optional<ConversationId>& conversation) override {
    return log_.Follow(from, conversation);
  }
  Result<Position> End() override { return log_.End(); }
  Result<StoreStats> Stats() override { return log_.Stats(); }
  Status VisitStorage(const StorageScan& scan, StorageVisitor& visitor) override {
    return log_.VisitStorage(scan, visitor);
  }
  std::vector<std::string> OpenNotes() const override { return log_.OpenNotes(); }
  Status Refresh() override { return log_.Refresh(); }
  Status Checkpoint() override { return log_.Checkpoint(); }
  Status Close() override { return log_.Close(); }

 protected:
  Log& log_;
};

}  // namespace turnlog
