#include "store/segments/frame_scanner.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kReadAhead = 256 << 10;
constexpr std::uint64_t kManyInARow = 1 << 20;  // who has read so much, and has as much to read, is likely to go on
constexpr std::uint64_t kHashedInVain = 1 << 20;
constexpr std::size_t kHashedUnchecked = 4 << 10;  // a frame up to this size is hashed before its header is checked

bool AllZero(std::string_view bytes) {
  return bytes.empty() || (bytes.front() == '\0' && bytes.substr(1) == bytes.substr(0, bytes.size() - 1));
}

}  // namespace

bool FrameScanner::InSegment() const {
  return segment_ != nullptr && position_ >= segment_->extent.base &&
         position_ + kFrameHeaderBytes <= segment_->extent.end();
}

// Moves position_ to where a frame may begin, in this segment or the next; false if there is none. Where a segment is
// missing, stops or skips to the next existing one.
Result<bool> FrameScanner::EnterSegment(Gap gap) {
  if (!InSegment()) {
    window_ = {};
    segment_ = TURNLOG_TRY(segments_->Find(position_));
    if (segment_ != nullptr && !InSegment()) {
      position_ = segment_->extent.end();
      segment_ = TURNLOG_TRY(segments_->Find(position_));
    }
    if (segment_ == nullptr && gap == Gap::kStop) return false;
    while (segment_ == nullptr) {
      const auto next = segments_->NextFrom(position_);
      if (!next) return false;
      position_ = next->base;
      segment_ = TURNLOG_TRY(segments_->Find(position_));
    }
  }
  position_ = std::max(position_, segment_->extent.first());
  return true;
}

Result<std::string_view> FrameScanner::Window(std::uint64_t bytes) {
  if (position_ < window_begin_ || position_ + bytes > window_begin_ + window_.size()) TURNLOG_TRY(ReadWindow(bytes));
  return window_.substr(position_ - window_begin_);
}

Status FrameScanner::ReadWindow(std::uint64_t bytes) {
  if (TURNLOG_TRY(TakePrefetched(bytes))) return {};
  const std::uint64_t room = segment_->extent.end() - position_;
  const std::uint64_t ahead = std::min(kReadAhead, read_ahead_end_ - std::min(read_ahead_end_, position_));
  const std::span<char> out = buffer_.Take(std::min(std::max(bytes, ahead), room));
  const std::size_t got = TURNLOG_TRY(segments_->ReadAt(*segment_, position_, out));
  std::ranges::fill(out.subspan(got), '\0');
  window_begin_ = read_at_ = position_;
  window_ = {out.data(), out.size()};
  return {};
}

// Continues the window with the next one, if that is read ahead and has so many bytes. If not, there is none.
Result<bool> FrameScanner::TakePrefetched(std::uint64_t bytes) {
  const std::string_view last = std::exchange(window_, {});
  const std::uint64_t end = window_begin_ + last.size();
  read_at_ = UINT64_MAX;
  if (last.empty()) return false;
  const bool goes_on = position_ >= window_begin_ && position_ <= end;
  in_a_row_ = goes_on ? in_a_row_ + last.size() : 0;
  if (!goes_on || end - position_ > SegmentPrefetcher::kRoomBytes || !ReadsAhead(end)) return false;
  const std::span<char> out = TURNLOG_TRY(prefetcher_->Next(last.substr(position_ - window_begin_), prefetched_));
  const bool ended = prefetcher_->position() == prefetcher_->end();
  if (ended && prefetcher_->end() < segment_->extent.end()) prefetcher_.reset();  // who follows a writer may wait long
  if (out.size() < bytes) return false;
  window_begin_ = position_;
  window_ = {out.data(), out.size()};
  return true;
}

// Whether the window that begins at `from` is being read by a thread of its own.
bool FrameScanner::ReadsAhead(std::uint64_t from) {
  if (prefetcher_ != nullptr && prefetcher_->position() == from && from < prefetcher_->end()) return true;
  const std::uint64_t end = std::min(segment_->extent.end(), read_ahead_end_);
  if (in_a_row_ < kManyInARow || end < from + kManyInARow) return false;
  if (prefetcher_ == nullptr) prefetcher_ = SegmentPrefetcher::Start(*segments_);
  if (prefetcher_ == nullptr) return false;
  prefetcher_->Begin(segment_, from, end);
  return true;
}

Result<FrameScanner::Found> FrameScanner::Look() {
  if (auto erased = segments_->erasures().At(position_); erased && erased->end() <= segment_->extent.end()) {
    erased_ = *std::move(erased);
    frame_ = Frame{erased_.header, position_, erased_.fields};
    return Found{&*frame_, erased_.header};
  }
  const FrameCodec& codec = segment_->codec;
  std::string_view bytes = TURNLOG_TRY(Window(kFrameHeaderBytes));
  if (codec.checks_headers()) hashed_bytes_ += kFrameHeaderBytes;
  const auto header = codec.ReadHeader(bytes, segment_->extent.end() - position_, position_);
  if (!header) return Found{};
  Found found{.frame = {}, .intact_header = codec.checks_headers() ? header : std::nullopt};
  if (const std::uint64_t length = FrameBytes(header->length); length > bytes.size()) {
    // Do not allocate memory for a length that exceeds the file.
    if (position_ - segment_->extent.base + length > TURNLOG_TRY(segment_->file->Size())) return found;
    bytes = TURNLOG_TRY(Window(length));
  }
  hashed_bytes_ += header->length;
  frame_ = codec.ReadPayload(*header, bytes, position_);
  if (frame_) found.frame = &*frame_;
  if (frame_ && frame_->header.NeedsLaterVersion()) {
    return std::unexpected(
        Error{ErrorCode::kUnsupportedVersion,
              ToString(segments_->DamageAt(position_, frame_->end(), "written by a later version of turnlog"))});
  }
  return found;
}

// Reads the window again if it may have been read before the writer wrote this part.
Result<const Frame*> FrameScanner::FrameHere() {
  const Frame* frame = TURNLOG_TRY(Look()).frame;
  if (frame != nullptr || read_at_ == position_) return frame;
  window_ = {};
  return TURNLOG_TRY(Look()).frame;
}

// What Look would find, at a fraction of the cost, where nothing needs reading and nothing is wrong. Null: look.
inline const Frame* FrameScanner::FrameInWindow() {
  if (position_ < window_begin_ || position_ >= window_begin_ + window_.size()) return nullptr;
  if (!InSegment() || segments_->erasures().any()) return nullptr;
  const std::string_view bytes = window_.substr(position_ - window_begin_, kHashedUnchecked);
  segment_->codec.Read(bytes, segment_->extent.end() - position_, position_, frame_);
  if (!frame_ || frame_->header.NeedsLaterVersion()) return nullptr;
  hashed_bytes_ += frame_->end() - position_;
  return &*frame_;
}

Result<std::optional<FrameHeader>> FrameScanner::IntactHeaderHere() {
  if (!TURNLOG_TRY(EnterSegment(Gap::kStop)) || !segment_->codec.checks_headers()) return std::nullopt;
  hashed_bytes_ += kFrameHeaderBytes;
  return segment_->codec.ReadHeader(TURNLOG_TRY(Window(kFrameHeaderBytes)), segment_->extent.end() - position_,
                                    position_);
}

Result<const Frame*> FrameScanner::Next() {
  for (;;) {
    const Frame* frame = FrameInWindow();
    if (frame == nullptr) {
      if (!TURNLOG_TRY(EnterSegment(Gap::kStop))) return nullptr;
      frame = TURNLOG_TRY(FrameHere());
    }
    if (frame == nullptr) {
      window_ = {};
      return nullptr;
    }
    if (frame->header.type != FrameType::kSeal) {
      position_ = frame->end();
      return frame;
    }
    if (!segments_->NextFrom(segment_->extent.end())) TURNLOG_TRY(segments_->Refresh());
    if (!segments_->NextFrom(segment_->extent.end())) return nullptr;
    position_ = segment_->extent.end();
  }
}

Result<std::optional<Unreadable>> FrameScanner::StepOver(std::uint64_t end) {
  Unreadable found{.damage = {}, .header = TURNLOG_TRY(IntactHeaderHere())};
  // A seal has no payload that could be damaged, and nothing follows it in this segment.
  if (found.header && found.header->type == FrameType::kSeal) found.header.reset();
  std::uint64_t resume = end;
  if (found.header) {
    resume = position_ + FrameBytes(found.header->length);
  } else {
    FrameScanner next(*segments_, position_);
    if (TURNLOG_TRY(next.Resync())) resume = next.position();
    hashed_bytes_ += next.hashed_bytes();
  }
  resume = std::min(resume, end);
  if (resume <= position_) return std::nullopt;
  found.damage =
      DamageHere(resume, found.header ? "the record's payload does not match its checksum; its header is intact"
                                      : "no valid record found");
  if (found.header) found.damage.seq = found.header->seq;
  position_ = resume;
  window_ = {};
  return found;
}

Result<bool> FrameScanner::Resync() {
  const std::uint64_t start = position_;
  const auto here = TURNLOG_TRY(IntactHeaderHere());
  if (position_ == start)
    position_ += here ? FrameBytes(here->length) : kFrameAlignment;  // otherwise a new segment was entered
  for (std::uint64_t in_vain = 0; TURNLOG_TRY(EnterSegment(Gap::kSkip));) {
    const Found found = TURNLOG_TRY(Look());
    if (found.frame != nullptr) return true;
    std::uint64_t step = kFrameAlignment;
    if (found.intact_header) {
      // Either a frame with a damaged payload, or event text forged to look like a header by someone who knows the
      // store's id and the position. After much hashing without success the claimed length is trusted and skipped, so
      // that forged headers cannot make this hash the same bytes again and again.
      const std::uint64_t length = FrameBytes(found.intact_header->length);
      const bool enough = in_vain + length > position_ - start + kHashedInVain;
      enough ? step = length : in_vain += length;
    }
    position_ += step;
  }
  return false;
}

Result<bool> FrameScanner::ZerosHere() {
  if (!TURNLOG_TRY(EnterSegment(Gap::kStop))) return true;
  const std::string_view bytes = TURNLOG_TRY(Window(kFrameHeaderBytes));
  return AllZero(bytes.substr(0, kFrameHeaderBytes));
}

Result<bool> FrameScanner::SealHere() {
  if (!TURNLOG_TRY(EnterSegment(Gap::kStop))) return false;
  const Frame* frame = TURNLOG_TRY(Look()).frame;
  return frame != nullptr && frame->header.type == FrameType::kSeal;
}

Result<bool> FrameScanner::BlankFromHere(std::uint64_t end) {
  const std::uint64_t start = position_;
  bool blank = true;
  while (blank && TURNLOG_TRY(EnterSegment(Gap::kSkip)) && position_ < end) {
    const std::uint64_t room = std::min(end, segment_->extent.end()) - position_;
    const std::uint64_t file_end = segment_->extent.base + TURNLOG_TRY(segment_->file->Size());
    if (position_ >= file_end) {
      position_ = segment_->extent.end();
      continue;
    }
    const std::string_view bytes = TURNLOG_TRY(Window(std::min(room, kReadAhead))).substr(0, room);
    blank = AllZero(bytes);
    position_ += bytes.size();
  }
  position_ = start;
  window_ = {};
  return blank;
}

Damage FrameScanner::DamageHere(std::uint64_t end, std::string reason) const {
  return segments_->DamageAt(position_, end, std::move(reason));
}

}  // namespace turnlog
