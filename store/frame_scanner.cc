#include "store/frame_scanner.h"

#include <algorithm>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kReadAhead = 256 << 10;

bool AllZero(std::string_view bytes) {
  return bytes.empty() || (bytes.front() == '\0' && bytes.substr(1) == bytes.substr(0, bytes.size() - 1));
}

}  // namespace

// Makes position_ one where a frame may begin, in this segment or the next; false if there is none. Stops where a
// segment is missing, or goes to the next one that there is.
Result<bool> FrameScanner::EnterSegment(Gap gap) {
  const auto inside = [&] {
    return segment_ != nullptr && position_ >= segment_->place.base &&
           position_ + kFrameHeaderBytes <= segment_->place.end();
  };
  if (!inside()) {
    window_ = {};
    segment_ = TURNLOG_TRY(segments_->Find(position_));
    if (segment_ != nullptr && !inside()) {
      position_ = segment_->place.end();
      segment_ = TURNLOG_TRY(segments_->Find(position_));
    }
    if (segment_ == nullptr && gap == Gap::kStop) return false;
    if (segment_ == nullptr) {
      const auto next = segments_->NextFrom(position_);
      if (!next) return false;
      position_ = next->base;
      segment_ = TURNLOG_TRY(segments_->Find(position_));
    }
  }
  position_ = std::max(position_, segment_->place.first());
  return true;
}

Result<std::string_view> FrameScanner::Window(std::uint64_t bytes) {
  const std::uint64_t room = segment_->place.end() - position_;
  if (position_ < window_begin_ || position_ + bytes > window_begin_ + window_.size()) {
    const std::uint64_t ahead = std::min(kReadAhead, read_ahead_end_ - std::min(read_ahead_end_, position_));
    const std::uint64_t want = std::min(std::max(bytes, ahead), room);
    const std::span<char> out = buffer_.Take(want);
    window_ = {};
    const std::size_t got = TURNLOG_TRY(segment_->file->ReadAt(position_ - segment_->place.base, out));
    std::ranges::fill(out.subspan(got), '\0');
    window_begin_ = position_;
    window_ = {out.data(), out.size()};
  }
  return window_.substr(position_ - window_begin_);
}

Result<std::optional<Frame>> FrameScanner::FrameHere() {
  if (auto erased = segments_->erasures().At(position_)) {
    erased_ = *std::move(erased);
    return Frame{erased_.header, position_, erased_.facts};
  }
  const std::uint64_t room = segment_->place.end() - position_;
  std::string_view bytes = TURNLOG_TRY(Window(kFrameHeaderBytes));
  const auto header = FrameCodec::ReadHeader(bytes, room);
  if (!header) return std::nullopt;
  if (FrameBytes(header->length) > bytes.size()) bytes = TURNLOG_TRY(Window(FrameBytes(header->length)));
  return codec_.Read(bytes, room, position_);
}

Result<std::optional<Frame>> FrameScanner::Next() {
  while (TURNLOG_TRY(EnterSegment(Gap::kStop))) {
    auto frame = TURNLOG_TRY(FrameHere());
    if (!frame && window_begin_ != position_) {
      window_ = {};  // read before the writer came this far, perhaps
      frame = TURNLOG_TRY(FrameHere());
    }
    if (!frame) {
      window_ = {};
      return std::nullopt;
    }
    if (frame->header.type != FrameType::kSeal) {
      position_ = frame->end();
      return frame;
    }
    if (!segments_->NextFrom(segment_->place.end())) TURNLOG_TRY(segments_->Refresh());
    if (!segments_->NextFrom(segment_->place.end())) return std::nullopt;
    position_ = segment_->place.end();
  }
  return std::nullopt;
}

Result<bool> FrameScanner::Resync() {
  for (position_ += kFrameAlignment; TURNLOG_TRY(EnterSegment(Gap::kSkip)); position_ += kFrameAlignment) {
    if (TURNLOG_TRY(FrameHere())) return true;
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
  const auto frame = TURNLOG_TRY(FrameHere());
  return frame && frame->header.type == FrameType::kSeal;
}

Result<bool> FrameScanner::BlankFromHere(std::uint64_t end) {
  const std::uint64_t start = position_;
  bool blank = true;
  while (blank && TURNLOG_TRY(EnterSegment(Gap::kSkip)) && position_ < end) {
    const std::uint64_t room = std::min(end, segment_->place.end()) - position_;
    const std::uint64_t file_end = segment_->place.base + TURNLOG_TRY(segment_->file->Size());
    if (position_ >= file_end) {
      position_ = segment_->place.end();
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
