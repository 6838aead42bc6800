// A small store on disk with many segments, to be copied and damaged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "store/segments/frame.h"
#include "store/segments/segment.h"
#include "tests/support/temp_dir.h"

namespace turnlog {

enum class Ending {
  kClosed,   // cleanly
  kCrashed,  // some synced and some unsynced events after the last checkpoint
};

// One frame of an intact store, and what a reader returns for it.
struct FrameLocation {
  SegmentExtent segment;
  std::uint64_t position = 0, length = 0;  // with header, without padding
  FrameHeader header;

  std::string file() const { return "log/" + SegmentName(segment.base); }
  std::uint64_t offset() const { return position - segment.base; }
  std::uint64_t end() const { return position + length; }
};

class SampleStore {
 public:
  explicit SampleStore(Ending ending);

  const std::filesystem::path& path() const { return path_; }
  void CopyTo(const std::filesystem::path& to) const;
  // In the order of the log, seals included.
  const std::vector<FrameLocation>& frames() const { return frames_; }
  const std::vector<SegmentExtent>& segments() const { return segments_; }
  std::uint64_t checkpoint() const { return checkpoint_; }
  // Whether the durable claim of a frame after `position` covers `position`.
  bool ClaimedDurable(std::uint64_t position) const;
  // The frame that has this byte of this segment, if it is not padding.
  const FrameLocation* FrameAt(const SegmentExtent& segment, std::uint64_t offset) const;

 private:
  void ListFrames();

  TempDir folder_;
  std::filesystem::path path_;
  std::vector<FrameLocation> frames_;
  std::vector<SegmentExtent> segments_;
  std::uint64_t checkpoint_ = 0;
};

// Flips one bit of a file.
void FlipBit(const std::filesystem::path& file, std::uint64_t offset, unsigned bit = 0);

}  // namespace turnlog
