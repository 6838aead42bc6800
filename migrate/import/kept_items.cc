#include "migrate/import/kept_items.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/coding.h"
#include "schema/event/codec.h"

namespace turnlog {
namespace {

constexpr std::size_t kLeastBlockBytes = std::size_t{4} << 10, kMostBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kLargeBytes = kMostBlockBytes / 8;  // of a payload: kept where it is

enum Flag : std::uint64_t {
  kIsPart = 1,
  kHasName = 2,  // or it is that of the item before
  kHasSeq = 4,
  kHasLine = 8,
  kHasByte = 16,
  kHasElement = 32,
  kHasRemarks = 64,
  kIsLarge = 128,
  kIsRedacted = 256,
};

constexpr std::size_t Padded(std::size_t size) {
  return (size + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}

}  // namespace

template <class Visit>
void KeptItems::Head::ForEachNumber(Visit visit) {
  visit(payload_size);
  if (flags & kHasName) visit(name_size);
  if (flags & kIsPart) return;
  visit(size);
  visit(file);
  if (flags & kHasSeq) visit(seq);
  if (flags & kHasLine) visit(line);
  if (flags & kHasByte) visit(byte);
  if (flags & kHasElement) visit(element);
  if (flags & kHasRemarks) visit(remarks);
  if (flags & kIsLarge) visit(large);
}

class KeptItems::Reader final : public SourceReader {
 public:
  explicit Reader(KeptItems& items) : items_(items) {}

  Result<SourceItem> Next() override {
    if (at_ == block_.used && !NextBlock()) return EndOfSource();
    Head head = ReadHead();
    const std::string_view payload = Take(head.payload_size);
    if (head.flags & kHasName) name_ = Take(head.name_size);
    at_ = Padded(at_);
    if (head.flags & kIsPart) return SourcePart{.conversation = name_, .name = {}, .bytes = {}};
    const auto optional = [&](std::uint64_t flag, std::uint64_t number) {
      return head.flags & flag ? std::optional(number) : std::nullopt;
    };
    SourceEvent item{.conversation = name_,
                     .seq = {},
                     .event = {head.kind, payload},
                     .location = {.file = items_.files_[head.file],
                                  .element = optional(kHasElement, head.element),
                                  .line = optional(kHasLine, head.line),
                                  .byte = optional(kHasByte, head.byte)},
                     .redacted = (head.flags & kIsRedacted) != 0,
                     .size = head.size};
    item.memory = block_.bytes;
    if (head.flags & kHasSeq) item.seq = Seq{head.seq};
    if (head.flags & kHasRemarks) item.remark() = std::move(items_.remarks_[head.remarks]);
    if (head.flags & kIsLarge) {
      HeldEvent& large = items_.large_[head.large];
      item.event = large.event;
      item.memory = std::move(large.memory);
    }
    return item;
  }

 private:
  Head ReadHead() {
    Decoder in{{bytes_ + at_, block_.used - at_}};
    Head head{.flags = in.Varint()};
    head.kind = static_cast<EventKind>(in.Varint());
    head.ForEachNumber([&](std::uint64_t& number) { number = in.Varint(); });
    at_ = Padded(block_.used - in.bytes.size());
    return head;
  }

  std::string_view Take(std::size_t size) {
    const std::string_view taken(bytes_ + at_, size);
    at_ += size;
    return taken;
  }

  bool NextBlock() {
    if (items_.blocks_.empty()) return false;
    block_ = std::move(items_.blocks_.front());
    items_.blocks_.pop_front();
    at_ = 0;
    bytes_ = block_.bytes.get();
    return true;
  }

  KeptItems& items_;
  Block block_;
  const char* bytes_ = nullptr;  // of the block
  std::size_t at_ = 0;
  std::string_view name_;
};

void KeptItems::Keep(SourceItem& item) {
  if (too_many_) return;
  if (auto* event = std::get_if<SourceEvent>(&item)) KeepEvent(*event);
  if (const auto* part = std::get_if<SourcePart>(&item)) {
    source_bytes_read_ += part->size;
    Add({.flags = kIsPart}, part->conversation, {});
  }
  if (bytes_ > limit_ || WillBeTooMany()) GiveUp();
}

void KeptItems::GiveUp() {
  too_many_ = true;
  blocks_.clear();
  remarks_.clear();
  large_.clear();
}

void KeptItems::KeepEvent(SourceEvent& item) {
  source_bytes_read_ += item.size;
  Head head{.kind = item.event.kind, .size = item.size};
  if (files_.empty() || files_.back().data() != item.location.file.data()) files_.push_back(item.location.file);
  head.file = files_.size() - 1;
  const auto set = [&head](std::uint64_t flag, std::uint64_t& to, const std::optional<std::uint64_t>& number) {
    if (number) head.flags |= flag, to = *number;
  };
  set(kHasLine, head.line, item.location.line);
  set(kHasByte, head.byte, item.location.byte);
  set(kHasElement, head.element, item.location.element);
  if (item.seq) set(kHasSeq, head.seq, item.seq->value);
  if (item.redacted) head.flags |= kIsRedacted;
  if (item.remarks != nullptr) {
    set(kHasRemarks, head.remarks, remarks_.size());
    remarks_.push_back(std::move(*item.remarks));
    bytes_ += sizeof(SourceRemarks);
  }
  if (item.event.payload.size() <= kLargeBytes) return Add(head, item.conversation, item.event.payload);
  set(kIsLarge, head.large, large_.size());
  bytes_ += item.event.payload.size();
  used_ += item.event.payload.size();
  large_.push_back(item.TakeEvent());
  Add(head, item.conversation, {});
}

void KeptItems::Add(Head head, std::string_view name, std::string_view payload) {
  constexpr std::size_t kMostHead = 128;
  Block& block = RoomFor(kMostHead + payload.size() + Padded(name.size()));
  if (block.used == 0 || name != last_name_) {
    head.flags |= kHasName;
    last_name_ = name;
  }
  const std::size_t begin = block.used;
  head.payload_size = payload.size();
  head.name_size = name.size();
  char* end = PutVarint(head.flags, block.bytes.get() + begin);
  end = PutVarint(static_cast<std::uint64_t>(head.kind), end);
  head.ForEachNumber([&end](std::uint64_t number) { end = PutVarint(number, end); });
  block.used = Padded(static_cast<std::size_t>(end - block.bytes.get()));
  const auto append = [&block](std::string_view piece) {
    if (!piece.empty()) std::memcpy(block.bytes.get() + block.used, piece.data(), piece.size());
    block.used += piece.size();
  };
  append(payload);
  if (head.flags & kHasName) append(name);
  block.used = Padded(block.used);
  used_ += block.used - begin;
}

KeptItems::Block& KeptItems::RoomFor(std::size_t size) {
  if (!blocks_.empty() && blocks_.back().capacity - blocks_.back().used >= size) return blocks_.back();
  const std::size_t capacity = std::max(size, std::clamp(bytes_, kLeastBlockBytes, kMostBlockBytes));
  bytes_ += capacity;
  return blocks_.emplace_back(std::make_shared_for_overwrite<char[]>(capacity), capacity);
}

// Whether all of the source will be, if the rest of it is like what has been read, or nearly so: the less is left, the
// less that can change.
bool KeptItems::WillBeTooMany() const {
  constexpr double kUncertain = 0.25;
  if (used_ < limit_ / 16 || source_bytes_read_ == 0 || source_bytes_ == 0) return false;
  const double read = std::min(static_cast<double>(source_bytes_read_) / static_cast<double>(source_bytes_), 1.0);
  return static_cast<double>(used_) > read * (1 + kUncertain * (1 - read)) * static_cast<double>(limit_);
}

std::unique_ptr<SourceReader> KeptItems::Replay() { return std::make_unique<Reader>(*this); }

}  // namespace turnlog
