// A log that reports its changes, and what they cost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "turnlog/log.h"

namespace turnlog {

struct LogChange {
  const ConversationId& conversation;
  std::uint64_t events = 0;  // appended: without repeated ones
  Durability durability = Durability::kSync;
  std::chrono::nanoseconds took{0};
};

class ObservedLog : public Log {
 public:
  // `on_change` is called after each change that has succeeded, on its thread.
  ObservedLog(Log& log, std::function<void(const LogChange&)> on_change)
      : log_(log), on_change_(std::move(on_change)) {}

  Capabilities capabilities() const override;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override;
  // What is not written yet would not be seen by those who are woken.
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    return Append(conversation, events, options);
  }
  Status Wait(Ticket ticket, Durability durability) override { return log_.Wait(ticket, durability); }
  Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                            const EraseOptions& options) override;
  Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                              const EventView& redaction, const RedactOptions& options) override;

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

 private:
  Log& log_;
  const std::function<void(const LogChange&)> on_change_;
};

}  // namespace turnlog
