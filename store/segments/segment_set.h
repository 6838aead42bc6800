// The segments of a store in order, with a bounded number of them open. Any thread may call any member.
#pragma once

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

// A segment with its file open, for as long as somebody holds it.
struct OpenSegment {
  SegmentExtent place;
  FrameCodec codec;
  std::unique_ptr<File> file;
};

class SegmentSet {
 public:
  SegmentSet(FileSystem& files, std::filesystem::path folder, StoreIdentity identity, bool writable)
      : files_(files), folder_(std::move(folder)), identity_(identity), writable_(writable) {}

  // Takes in the segments that have come since the last call. Segments whose headers cannot be trusted are an error,
  // unless `damage` is there to take them.
  Status Refresh(std::vector<Damage>* damage = nullptr);
  // Readers: the same, but looks again at the segments from `base` on. A writer may have replaced or removed those that
  // nothing was read from.
  Status Renew(std::uint64_t base);

  // The segment that holds `position`; nullptr behind the last one and in the gap that a missing one leaves.
  Result<std::shared_ptr<OpenSegment>> Find(std::uint64_t position);
  // The first segment whose base is at or behind `position`.
  std::optional<SegmentExtent> NextFrom(std::uint64_t position) const;
  std::vector<SegmentExtent> all() const;
  // The bytes from `position` to `end`, which cannot be trusted, as what stands in which file.
  Damage DamageAt(std::uint64_t position, std::uint64_t end, std::string reason) const;

  // Makes a segment, or takes the one that stands ready at this place with this size. Only the one who writes frames
  // may call it: an unused segment of another size is replaced.
  Result<std::shared_ptr<OpenSegment>> Prepare(SegmentExtent place);
  // Makes a segment ahead of time, unless there is one at this place or those before it are still to be made: whoever
  // lists the folder finds no gap.
  Status Preallocate(SegmentExtent place);
  // Removes all segments from `base` on, the last one first.
  Status RemoveFrom(std::uint64_t base);
  // Removes what an interrupted CreateSegment left.
  Status RemoveTemporaries();

  // Reads from `position` on, as far as the file goes. What the disk cannot give does not take its neighbours with it:
  // such pages are filled with bytes that are no frame and not blank either, and DamageAt says why.
  Result<std::size_t> ReadAt(const OpenSegment& segment, std::uint64_t position, std::span<char> out);
  // The first bytes at or behind `position` that the disk could not give, if any of them has been read.
  std::optional<Damage> UnreadableFrom(std::uint64_t position) const;

  FrameCodec codec(std::uint32_t version = kFormatVersion) const { return FrameCodec(identity_.salt(), version); }
  bool writable() const { return writable_; }
  // Which frames are being overwritten.
  Erasures& erasures() { return erasures_; }

 private:
  Status Create(SegmentExtent place);
  Result<std::shared_ptr<OpenSegment>> OpenLocked(SegmentExtent place);
  Result<std::vector<std::string>> Names();
  Status AddLocked(const std::vector<std::string>& names, std::vector<Damage>* damage);

  FileSystem& files_;
  const std::filesystem::path folder_;
  const StoreIdentity identity_;
  const bool writable_;
  Erasures erasures_;

  std::mutex create_mutex_;                        // taken before mutex_, held while a segment is made
  mutable std::mutex mutex_;                       // guards what follows
  std::map<std::uint64_t, SegmentExtent> places_;  // by base
  std::set<std::uint64_t> unreadable_;             // positions of pages that the disk could not give
  std::set<std::string> damaged_;                  // reported once, and not looked at again
  std::list<std::shared_ptr<OpenSegment>> open_;   // the one used last in front
  std::unordered_map<std::uint64_t, std::list<std::shared_ptr<OpenSegment>>::iterator> open_by_base_;
};

}  // namespace turnlog
