#include "store/segments/segment_prefetcher.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <utility>

namespace turnlog {
namespace {

// Many may read at once, and then the processors have enough to do.
std::atomic<unsigned> threads = 0;

bool TakeThread() {
  const unsigned processors = std::thread::hardware_concurrency();
  if (threads.fetch_add(1) < processors && processors > 1) return true;
  --threads;
  return false;
}

}  // namespace

std::unique_ptr<SegmentPrefetcher> SegmentPrefetcher::Start(SegmentSet& segments) {
  if (!TakeThread()) return nullptr;
  std::unique_ptr<SegmentPrefetcher> prefetcher(new SegmentPrefetcher(segments));
  try {
    prefetcher->thread_ = std::jthread([&prefetcher = *prefetcher] { prefetcher.Work(); });
  } catch (const std::system_error&) {
    return nullptr;
  }
  return prefetcher;
}

SegmentPrefetcher::~SegmentPrefetcher() {
  --threads;
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void SegmentPrefetcher::Begin(std::shared_ptr<OpenSegment> segment, std::uint64_t from, std::uint64_t end) {
  std::unique_lock lock(mutex_);
  unread_ = unread_end_ = 0;
  changed_.wait(lock, [this] { return !reading_; });
  read_ = taken_ = 0;
  segment_ = std::move(segment);
  position_ = unread_ = from;
  end_ = unread_end_ = end;
  changed_.notify_all();
}

Result<std::span<char>> SegmentPrefetcher::Next(std::string_view before, AlignedBuffer& buffer) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return read_ > taken_; });
  }
  Window& window = windows_[taken_ % windows_.size()];
  const std::size_t size = window.size;
  const std::span<char> all = window.buffer.Take(kRoomBytes + size).subspan(kRoomBytes - before.size());
  if (!before.empty()) std::memcpy(all.data(), before.data(), before.size());
  std::swap(buffer, window.buffer);
  Status status = std::exchange(window.status, Status());
  position_ += size;
  const std::scoped_lock lock(mutex_);
  ++taken_;
  changed_.notify_all();
  if (!status) return std::unexpected(std::move(status).error());
  return all;
}

void SegmentPrefetcher::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || (unread_ < unread_end_ && read_ - taken_ < windows_.size()); });
    if (stopped_) return;
    const std::uint64_t from = unread_;
    const std::size_t size = std::min<std::uint64_t>(kWindowBytes, unread_end_ - from);
    unread_ += size;
    reading_ = true;
    Window& window = windows_[read_ % windows_.size()];
    lock.unlock();
    Fill(window, from, size);
    lock.lock();
    reading_ = false;
    ++read_;
    changed_.notify_all();
  }
}

void SegmentPrefetcher::Fill(Window& window, std::uint64_t from, std::size_t size) const {
  const std::span<char> out = window.buffer.Take(kRoomBytes + size).subspan(kRoomBytes);
  const Result<std::size_t> got = segments_.ReadAt(*segment_, from, out);
  window.size = size;
  window.status = got ? Status() : std::unexpected(got.error());
  if (got) std::ranges::fill(out.subspan(*got), '\0');
}

}  // namespace turnlog
