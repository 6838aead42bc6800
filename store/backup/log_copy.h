// A part of a log, copied into the folder of another one, with what has been erased in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/file_system.h"
#include "store/erasure/tombstone.h"
#include "store/segments/segment_set.h"

namespace turnlog {

// By position; of several erasures of one frame the last.
using ErasedFrames = std::map<std::uint64_t, Tombstone>;

struct EraseIntents {
  ErasedFrames frames;
  std::uint64_t end = 0;  // of the last kEraseIntent frame; 0 if there is none
};

// The kEraseIntent frames between two complete appends. Damage is skipped.
Result<EraseIntents> ReadEraseIntents(SegmentSet& segments, std::uint64_t from, std::uint64_t to);

// What identifies a record in two copies of a log.
struct RecordIdentity {
  std::uint64_t fingerprint = 0;      // survives an erasure
  std::optional<std::uint64_t> hash;  // of all of it; none once it has been erased

  bool Matches(const RecordIdentity& other) const {
    return fingerprint == other.fingerprint && (!hash || !other.hash || hash == other.hash);
  }
};

// Of the record that ends at `position`; nothing if no valid record does.
Result<std::optional<RecordIdentity>> RecordBefore(SegmentSet& segments, std::uint64_t position);

class LogCopy {
 public:
  using OnBytes = std::function<void(std::uint64_t bytes)>;

  // Both must outlive this. `folder`: where the segments of the copy are.
  LogCopy(FileSystem& files, SegmentSet& source, std::filesystem::path folder);

  // Makes the copy, which is complete up to `from`, end at `to`, and durable. A new segment gets its name once it is
  // complete; segments after `to` are removed. Bytes that the disk cannot read become bytes that hold no record.
  Status Extend(std::uint64_t from, std::uint64_t to, const OnBytes& on_bytes);
  // Overwrites these frames in the copy, durably.
  Status Overwrite(const ErasedFrames& frames);

 private:
  Status CopySegment(SegmentExtent extent, std::uint64_t from, std::uint64_t to, const OnBytes& on_bytes);
  Status CopyBytes(const OpenSegment& source, File& target, std::uint64_t begin, std::uint64_t end,
                   const OnBytes& on_bytes);
  Status RemoveFrom(std::uint64_t position);

  FileSystem& files_;
  SegmentSet& source_;
  const std::filesystem::path folder_;
  std::vector<char> buffer_;
};

}  // namespace turnlog
