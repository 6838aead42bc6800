// One file of the log: a header page, then frames, then zeros. Its size is fixed at creation; a clean shutdown
// truncates the last segment to its used part, and bytes after the end of a file count as zero.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/file_system.h"
#include "store/segments/format_version.h"
#include "store/segments/store_identity.h"

namespace turnlog {

inline constexpr std::uint64_t kSegmentHeaderBytes = 4096;  // a page of its own, so that no append rewrites it
inline constexpr std::uint64_t kFirstSegmentBytes = std::uint64_t{1} << 20;

struct SegmentExtent {
  std::uint64_t base = 0;                  // position of the file's first byte
  std::uint64_t size = 0;                  // header included
  std::uint32_t version = kFormatVersion;  // of its frames

  std::uint64_t first() const { return base + kSegmentHeaderBytes; }  // position of the first frame
  std::uint64_t end() const { return base + size; }
  bool operator==(const SegmentExtent&) const = default;
};

// Size of the segment at `base`: small stores use little space, large stores few files. At most `limit`, but a frame of
// `frame_bytes` always fits.
std::uint64_t SegmentBytes(std::uint64_t base, std::uint64_t limit, std::uint64_t frame_bytes);

std::string SegmentName(std::uint64_t base);

// Writes the file under a temporary name, syncs, renames, syncs the folder: a file with the final name is always
// complete. Replaces an unused segment of the same base.
Status CreateSegment(FileSystem& files, const std::filesystem::path& folder, const StoreIdentity& identity,
                     SegmentExtent extent);

// Reads and checks the header; `name` is checked against it.
Result<SegmentExtent> ReadSegmentHeader(File& file, const std::string& name, const StoreIdentity& identity);
Result<SegmentExtent> ReadSegmentHeader(FileSystem& files, const std::filesystem::path& folder, const std::string& name,
                                        const StoreIdentity& identity);

}  // namespace turnlog
