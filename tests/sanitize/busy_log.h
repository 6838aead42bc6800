// A log in which somebody else does something just before each of our appends.
#pragma once

#include <functional>
#include <utility>

#include "turnlog/log.h"

namespace turnlog {

class BusyLog : public Log {
 public:
  BusyLog(Log& log, std::function<void()> before_append) : log_(log), before_append_(std::move(before_append)) {}

  Result<Receipt> Append(const ConversationId& conversation, std::span<const EventView> events,
                         const AppendOptions& options) override {
    before_append_();
    return log_.Append(conversation, events, options);
  }
  Result<Receipt> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
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
  Result<std::vector<InquiryRecord>> FindInquiry(const ConversationId& conversation, const InquiryIdView& id) override {
    return log_.FindInquiry(conversation, id);
  }
  Result<std::vector<PendingInquiry>> Pending(const std::optional<ConversationId>& conversation) override {
    return log_.Pending(conversation);
  }
  Result<std::vector<RepairPlace>> Repairs(const ConversationId& conversation) override {
    return log_.Repairs(conversation);
  }
  Result<std::optional<Watermark>> FindWatermark(const ConversationId& conversation) override {
    return log_.FindWatermark(conversation);
  }
  Status SetWatermark(const ConversationId& conversation, const Watermark& watermark) override {
    return log_.SetWatermark(conversation, watermark);
  }
  Result<std::vector<ConversationInfo>> ListChanged(std::string_view after, std::size_t limit) override {
    return log_.ListChanged(after, limit);
  }
  Result<std::unique_ptr<Tail>> Follow(Position from, const std::optional<ConversationId>& conversation) override {
    return log_.Follow(from, conversation);
  }
  Result<Position> End() override { return log_.End(); }
  Result<StoreStats> Stats() override { return log_.Stats(); }
  Status Refresh() override { return log_.Refresh(); }
  Status Checkpoint() override { return log_.Checkpoint(); }
  Status Close() override { return log_.Close(); }

 private:
  Log& log_;
  const std::function<void()> before_append_;
};

}  // namespace turnlog
