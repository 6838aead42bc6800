// Reads a segment on a thread of its own, ahead of who parses it. One thread may call the members.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>

#include "base/aligned_buffer.h"
#include "store/segments/segment_set.h"

namespace turnlog {

// Memory: two windows, each with room before it.
class SegmentPrefetcher {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{256} << 10;
  static constexpr std::size_t kRoomBytes = std::size_t{192} << 10;  // for the record that begins in the window before

  // Null: there is no processor, or no thread, for it. `segments` must outlive it.
  static std::unique_ptr<SegmentPrefetcher> Start(SegmentSet& segments);
  SegmentPrefetcher(const SegmentPrefetcher&) = delete;
  SegmentPrefetcher& operator=(const SegmentPrefetcher&) = delete;
  ~SegmentPrefetcher();

  // Begins to read what is from `from` to `end`, instead of what was begun before.
  void Begin(std::shared_ptr<OpenSegment> segment, std::uint64_t from, std::uint64_t end);
  // Where the next window begins; `end` after the last one.
  std::uint64_t position() const { return position_; }
  std::uint64_t end() const { return end_; }
  // The next window, with a copy of `before` in front of it; zeros after the end of the file. It is in `buffer`, and
  // the former contents of that are gone: `before` may point to them. REQUIRES: position() < end(); `before` has at
  // most kRoomBytes.
  Result<std::span<char>> Next(std::string_view before, AlignedBuffer& buffer);

 private:
  struct Window {
    AlignedBuffer buffer;
    std::size_t size = 0;
    Status status;
  };

  explicit SegmentPrefetcher(SegmentSet& segments) : segments_(segments) {}
  void Work();
  void Fill(Window& window, std::uint64_t from, std::size_t size) const;

  SegmentSet& segments_;
  std::shared_ptr<OpenSegment> segment_;
  std::uint64_t position_ = 0, end_ = 0;

  std::mutex mutex_;  // guards what follows, but the windows that are read or were read and not taken
  std::condition_variable changed_;
  std::uint64_t unread_ = 0, unread_end_ = 0;  // what is left to read
  std::uint64_t read_ = 0, taken_ = 0;         // windows since Begin
  bool reading_ = false, stopped_ = false;
  std::array<Window, 2> windows_;
  std::jthread thread_;  // the last member: it ends before the others do
};

}  // namespace turnlog
