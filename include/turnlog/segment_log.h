// The engine in a folder: segment files, which are the truth, and an index over them. See docs/on_disk_format.md.
//
// One process at a time has the folder open for writing (kBusy tells which one); readers in any number work beside it.
// A cursor of ReadRaw outlives a Close, but as long as it is there no process can open the store for writing (kIo).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct SegmentOptions {
  OpenMode mode = OpenMode::kCreate;
  std::string holder;                                        // who we are, for the error that another writer gets
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;     // segment files grow up to this size
  std::uint64_t checkpoint_bytes = std::uint64_t{64} << 20;  // replayed at most after a crash, about
};

// Opened with kRead, the store may lie on a read-only disk; its index is not touched.
Result<std::unique_ptr<Log>> OpenSegmentLog(const std::filesystem::path& folder, const SegmentOptions& options = {});

}  // namespace turnlog
