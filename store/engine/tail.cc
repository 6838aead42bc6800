#include "store/engine/tail.h"

#include "base/try.h"
#include "store/engine/event_log.h"

namespace turnlog {
namespace {

constexpr std::size_t kNamesKept = 4096;

}  // namespace

LogTail::LogTail(EventLog& log, const SegmentPosition& from, std::optional<std::string> conversation)
    : log_(log),
      codec_(log.segments()->codec()),
      conversation_(std::move(conversation)),
      scanner_(*log.segments(), from.offset),
      replacements_(*log.segments()),
      from_(from) {}

Result<std::unique_ptr<Tail>> LogTail::Open(EventLog& log, const SegmentPosition& from,
                                            std::optional<std::string> conversation) {
  std::unique_ptr<LogTail> tail(new LogTail(log, from, std::move(conversation)));
  if (from != SegmentPosition{}) TURNLOG_TRY(tail->Resume());
  return tail;
}

Status LogTail::Resume() {
  const Frame* frame =
      from_.offset < log_.VisibleEnd() ? TURNLOG_TRY(NextOrRefresh(scanner_, *log_.segments())) : nullptr;
  if (frame != nullptr && frame->position == from_.offset && codec_.Check(*frame) == from_.fingerprint) return {};
  return std::unexpected(
      Error{ErrorCode::kConflict, "position " + from_.ToPosition().ToText() +
                                      " is not in this log: it belongs to another store, or to events that were "
                                      "never synced and were lost in a crash; start again from 0-0 or from the end"});
}

Result<Item> LogTail::Next() {
  TURNLOG_TRY(log_.MustBeOpen());
  const std::uint64_t end = log_.VisibleEnd();
  scanner_.LimitReadAhead(end);
  while (scanner_.position() < end) {
    const Frame* frame = TURNLOG_TRY(NextOrRefresh(scanner_, *log_.segments()));
    if (frame == nullptr) {
      auto found = TURNLOG_TRY(scanner_.StepOver(end));
      if (!found) return EndOfLog{};
      if (found->header) found->damage.conversation = *TURNLOG_TRY(NameOf(found->header->conversation));
      return std::move(found->damage);
    }
    if (frame->position >= end) {
      scanner_ = FrameScanner(*log_.segments(), frame->position);
      return EndOfLog{};
    }
    last_ = {frame->header, frame->position, {}};
    if (frame->header.type == FrameType::kConversation)
      KeepName(frame->header.conversation, std::string(frame->payload));
    if (frame->header.type != FrameType::kEvent && frame->header.type != FrameType::kTombstone) continue;
    const std::string& name = *TURNLOG_TRY(NameOf(frame->header.conversation));
    if (!conversation_ || name == *conversation_) return Show(*frame, name);
  }
  return EndOfLog{};
}

Result<Item> LogTail::Show(const Frame& frame, const std::string& name) {
  const Seq seq{frame.header.seq};
  const EventKind kind = frame.header.kind;
  const bool erased = frame.header.type == FrameType::kTombstone;
  const auto now = erased ? TURNLOG_TRY(replacements_.Follow(frame)) : std::optional(frame);
  if (!now) return DamageOf(frame, name, std::string(kReplacementLost));
  if (now->header.type == FrameType::kTombstone) {
    return Erased{.conversation = name, .seq = seq, .turn = {}, .kind = kind};
  }
  const auto payload = unpacker_.Unpack(*now);
  if (!payload && payload.error().code == ErrorCode::kCorruption) return DamageOf(frame, name, payload.error().message);
  return Record{.conversation = name,
                .seq = seq,
                .turn = {},
                .kind = kind,
                .payload = TURNLOG_TRY(payload),
                .redacted = now->header.type == FrameType::kReplacement};
}

Damage LogTail::DamageOf(const Frame& frame, const std::string& name, std::string reason) const {
  Damage damage = log_.segments()->DamageAt(frame.position, frame.end(), std::move(reason));
  damage.conversation = name;
  damage.seq = frame.header.seq;
  return damage;
}

// Most events follow one of the same conversation.
Result<const std::string*> LogTail::NameOf(std::uint32_t number) {
  if (name_ != nullptr && number == named_) return name_;
  if (const auto known = names_.find(number); known != names_.end()) {
    named_ = number;
    return name_ = &known->second;
  }
  const auto index = TURNLOG_TRY(log_.index());
  auto name = TURNLOG_TRY(index->NameOf(number));
  return KeepName(number, std::move(name).value_or(""));
}

const std::string* LogTail::KeepName(std::uint32_t number, std::string name) {
  if (names_.size() >= kNamesKept) names_.clear();
  named_ = number;
  return name_ = &names_.insert_or_assign(number, std::move(name)).first->second;
}

Position LogTail::position() const {
  return (last_ ? SegmentPosition{last_->position, codec_.Check(*last_)} : from_).ToPosition();
}

Result<bool> LogTail::Wait(std::chrono::milliseconds timeout) { return log_.WaitForMore(scanner_.position(), timeout); }

}  // namespace turnlog
