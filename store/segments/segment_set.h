// The segments of a store in order, with a bounded number of them open. Any thread may call any member.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file_system.h"
#include "store/erasure/erasures.h"
#include "store/segments/frame.h"
#include "store/segments/segment.h"
#include "store/segments/store_identity.h"
#include "turnlog/damage.h"

namespace turnlog {

// A segment with its open file. The file is closed with the last reference.
struct OpenSegment {
  SegmentExtent extent;
  FrameCodec codec;
  std::unique_ptr<File> file;
};

class SegmentSet {
 public:
  SegmentSet(FileSystem& files, std::filesystem::path folder, StoreIdentity identity, bool writable)
      : files_(files), folder_(std::move(folder)), identity_(identity), writable_(writable) {}

  // Adds the segments created since the last call. A segment with a damaged header is an error, or is added to `damage`
  // if that is given.
  Status Refresh(std::vector<Damage>* damage = nullptr);
  // Readers: the same, but reloads the segments from `base` on. A writer may have replaced or removed unused
  // ones.
  Status Renew(std::uint64_t base);

  // The segment that contains `position`; nullptr after the last one and in the gap of a missing one. Readers: also
  // instead of one that is gone, because the writer has removed what it had preallocated; it is forgotten.
  Result<std::shared_ptr<OpenSegment>> Find(std::uint64_t position);
  // The first segment whose base is `position` or greater.
  std::optional<SegmentExtent> NextFrom(std::uint64_t position) const;
  std::vector<SegmentExtent> all() const;
  // The bytes from `position` to `end` as damage in their file.
  Damage DamageAt(std::uint64_t position, std::uint64_t end, std::string reason) const;

  // Creates a segment, or opens the preallocated one with the same extent. Only for the thread that writes frames: an
  // unused segment of another size is replaced.
  Result<std::shared_ptr<OpenSegment>> Prepare(SegmentExtent extent);
  // Preallocates a segment, unless one exists there or earlier ones do not exist yet: a listing of the folder must show
  // no gap.
  Status Preallocate(SegmentExtent extent);
  // Removes all segments from `base` on, the last one first.
  Status RemoveFrom(std::uint64_t base);
  // Removes the remains of an interrupted CreateSegment.
  Status RemoveTemporaries();

  // Reads from `position` up to the end of the file. A page that the disk cannot read does not fail the whole read: it
  // is filled with bytes that are neither a frame nor blank, and DamageAt reports the reason.
  Result<std::size_t> ReadAt(const OpenSegment& segment, std::uint64_t position, std::span<char> out);
  // The first unreadable page at or after `position`, among the pages read so far.
  std::optional<Damage> UnreadableFrom(std::uint64_t position) const;

  FrameCodec codec(std::uint32_t version = kFormatVersion) const { return FrameCodec(identity_.salt(), version); }
  bool writable() const { return writable_; }
  // The frames that are being overwritten.
  Erasures& erasures() { return erasures_; }
  // The log has been closed, and who still reads is to stop.
  void Close() { closed_.store(true, std::memory_order_relaxed); }
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  Status Create(SegmentExtent extent);
  Result<std::shared_ptr<OpenSegment>> OpenLocked(SegmentExtent extent);
  Result<std::vector<std::string>> Names();
  Status AddLocked(const std::vector<std::string>& names, std::vector<Damage>* damage);

  FileSystem& files_;
  const std::filesystem::path folder_;
  const StoreIdentity identity_;
  const bool writable_;
  Erasures erasures_;
  std::atomic<bool> closed_ = false;

  std::mutex create_mutex_;                         // taken before mutex_, held while a segment is created
  mutable std::mutex mutex_;                        // guards all members below
  std::map<std::uint64_t, SegmentExtent> extents_;  // by base
  std::set<std::uint64_t> unreadable_;              // positions of pages that the disk cannot read
  std::set<std::string> damaged_;                   // reported once, then ignored
  std::list<std::shared_ptr<OpenSegment>> open_;    // most recently used first
  std::unordered_map<std::uint64_t, std::list<std::shared_ptr<OpenSegment>>::iterator> open_by_base_;
};

}  // namespace turnlog
