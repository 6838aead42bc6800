// Segments written by hand, frame by frame, as no writer would.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/segments/frame.h"
#include "store/segments/segment.h"
#include "store/segments/segment_set.h"
#include "store/segments/store_identity.h"
#include "tests/support/temp_dir.h"

namespace turnlog {

class HandMadeLog {
 public:
  static constexpr std::uint64_t kSegmentBytes = 8 << 10;

  // Writes segments of this format version.
  explicit HandMadeLog(std::uint32_t version = kFormatVersion) : version_(version) { AddSegment(); }

  void AddSegment(std::uint64_t size = kSegmentBytes) {
    const SegmentExtent extent{extents_.empty() ? 0 : extents_.back().end(), size, version_};
    EXPECT_TRUE(CreateSegment(PosixFileSystem(), folder_.path(), identity_, extent));
    extents_.push_back(extent);
    position_ = extent.first();
  }

  // Appends a frame. `durable`: its durable claim.
  std::uint64_t Add(std::string_view payload, std::optional<std::uint64_t> durable = {}, bool batch_continues = false) {
    FrameHeader header{
        .kind = EventKind::kChatResponse, .batch_continues = batch_continues, .conversation = 1, .seq = ++seq_};
    if (durable) header.durable_back = static_cast<std::uint32_t>((position_ - *durable) / kFrameAlignment);
    return Put(header, payload);
  }
  std::uint64_t Seal() { return Put({.type = FrameType::kSeal, .kind = EventKind{0}}, {}); }

  std::uint64_t Put(const FrameHeader& header, std::string_view payload) {
    const std::uint64_t at = position_;
    std::string bytes;
    codec().Append(header, payload, Hash64(payload), at, bytes);
    Overwrite(at, bytes);
    position_ = at + bytes.size();
    return at;
  }

  void Overwrite(std::uint64_t position, std::string_view bytes) {
    const SegmentExtent extent = ExtentOf(position);
    const auto file = PosixFileSystem().Open(File(extent.base), FileSystem::Access::kWrite);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE((*file)->WriteAt(position - extent.base, bytes));
  }
  // Whatever the byte was, it is another one then.
  void Flip(std::uint64_t position) {
    const SegmentExtent extent = ExtentOf(position);
    const auto file = PosixFileSystem().Open(File(extent.base), FileSystem::Access::kRead);
    ASSERT_TRUE(file) << file.error().message;
    std::string byte(1, '\0');
    ASSERT_EQ((*file)->ReadAt(position - extent.base, byte).value_or(0), 1U);
    byte[0] = static_cast<char>(byte[0] ^ 1);
    Overwrite(position, byte);
  }
  FrameCodec codec() const { return FrameCodec(identity_.salt(), version_); }
  void Zero(std::uint64_t position, std::uint64_t length) { Overwrite(position, std::string(length, '\0')); }
  void MoveTo(std::uint64_t position) { position_ = position; }

  std::filesystem::path File(std::uint64_t base) const { return folder_ / SegmentName(base); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  const StoreIdentity& identity() const { return identity_; }
  const SegmentExtent& extent(std::size_t i) const { return extents_[i]; }
  std::uint64_t position() const { return position_; }

  std::unique_ptr<SegmentSet> Open() const {
    auto set = std::make_unique<SegmentSet>(PosixFileSystem(), folder_.path(), identity_, true);
    EXPECT_TRUE(set->Refresh());
    return set;
  }

 private:
  SegmentExtent ExtentOf(std::uint64_t position) const {
    for (const SegmentExtent& extent : extents_) {
      if (position >= extent.base && position < extent.end()) return extent;
    }
    ADD_FAILURE() << "no segment at " << position;
    return {};
  }

  const std::uint32_t version_;
  const TempDir folder_;
  const StoreIdentity identity_ = NewIdentity();
  std::vector<SegmentExtent> extents_;
  std::uint64_t position_ = 0, seq_ = 0;
};

}  // namespace turnlog
