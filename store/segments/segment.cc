#include "store/segments/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/coding.h"
#include "base/hash.h"
#include "base/try.h"
#include "store/segments/frame.h"

namespace turnlog {
namespace {

constexpr std::string_view kMagic = "TLSEGMT1";
constexpr std::uint64_t kPage = 4096;

// Offsets in the header.
constexpr std::size_t kVersion = 8;
constexpr std::size_t kIdHigh = 16;
constexpr std::size_t kIdLow = 24;
constexpr std::size_t kBase = 32;
constexpr std::size_t kSize = 40;
constexpr std::size_t kHash = 48;

std::string EncodeHeader(const StoreIdentity& identity, SegmentExtent extent) {
  std::string page(kSegmentHeaderBytes, '\0');
  kMagic.copy(page.data(), kMagic.size());
  StoreLittle(page.data() + kVersion, extent.version);
  StoreLittle(page.data() + kIdHigh, identity.id_high);
  StoreLittle(page.data() + kIdLow, identity.id_low);
  StoreLittle(page.data() + kBase, extent.base);
  StoreLittle(page.data() + kSize, extent.size);
  StoreLittle(page.data() + kHash, Hash64(std::string_view(page).substr(0, kHash)));
  return page;
}

std::unexpected<Error> Damaged(const std::string& name, std::string_view reason) {
  return std::unexpected(Error{ErrorCode::kCorruption, fmt::format("log/{} byte 0: {}", name, reason)});
}

}  // namespace

std::uint64_t SegmentBytes(std::uint64_t base, std::uint64_t limit, std::uint64_t frame_bytes) {
  const std::uint64_t grown = std::max(kFirstSegmentBytes, std::bit_floor(base | 1));
  // A frame that is larger than `limit` gets its own segment, with room for a seal.
  const std::uint64_t needed = kSegmentHeaderBytes + frame_bytes + kFrameHeaderBytes;
  return (std::max(std::min(grown, limit), needed) + kPage - 1) / kPage * kPage;
}

std::string SegmentName(std::uint64_t base) { return fmt::format("{:016x}.seg", base); }

Status CreateSegment(FileSystem& files, const std::filesystem::path& folder, const StoreIdentity& identity,
                     SegmentExtent extent) {
  const std::filesystem::path path = folder / SegmentName(extent.base);
  const std::filesystem::path temporary = path.string() + ".tmp";
  if (TURNLOG_TRY(Exists(files, temporary))) TURNLOG_TRY(files.Remove(temporary));
  {
    const auto file = TURNLOG_TRY(files.Open(temporary, FileSystem::Access::kCreateNew));
    TURNLOG_TRY(file->Allocate(extent.size));
    TURNLOG_TRY(file->WriteAt(0, EncodeHeader(identity, extent)));
    TURNLOG_TRY(file->Sync());
  }
  TURNLOG_TRY(files.Rename(temporary, path));
  return files.SyncDirectory(folder);
}

Result<SegmentExtent> ReadSegmentHeader(FileSystem& files, const std::filesystem::path& folder, const std::string& name,
                                        const StoreIdentity& identity) {
  const auto file = TURNLOG_TRY(files.Open(folder / name, FileSystem::Access::kRead));
  return ReadSegmentHeader(*file, name, identity);
}

Result<SegmentExtent> ReadSegmentHeader(File& file, const std::string& name, const StoreIdentity& identity) {
  std::string page(kSegmentHeaderBytes, '\0');
  if (TURNLOG_TRY(file.ReadAt(0, page)) != page.size()) return Damaged(name, "the file ends within its header");
  if (!page.starts_with(kMagic)) return Damaged(name, "not a segment of a turnlog store");
  if (LoadLittle<std::uint64_t>(page.data() + kHash) != Hash64(std::string_view(page).substr(0, kHash))) {
    return Damaged(name, "the header does not match its checksum");
  }
  const auto version = LoadLittle<std::uint32_t>(page.data() + kVersion);
  if (!IsKnownFormat(version)) {
    return std::unexpected(
        Error{ErrorCode::kUnsupportedVersion, fmt::format("log/{} has format {}, this program reads formats {} to {}",
                                                          name, version, kOldestFormatVersion, kFormatVersion)});
  }
  if (LoadLittle<std::uint64_t>(page.data() + kIdHigh) != identity.id_high ||
      LoadLittle<std::uint64_t>(page.data() + kIdLow) != identity.id_low) {
    return Damaged(name, "the segment belongs to another store");
  }
  const SegmentExtent extent{LoadLittle<std::uint64_t>(page.data() + kBase),
                             LoadLittle<std::uint64_t>(page.data() + kSize), version};
  if (SegmentName(extent.base) != name) return Damaged(name, "the file's name does not match its header");
  if (extent.base % kFrameAlignment != 0 || extent.size % kFrameAlignment != 0 || extent.size < kSegmentHeaderBytes ||
      extent.end() < extent.base) {
    return Damaged(name, "the header has an invalid base or size");
  }
  return extent;
}

}  // namespace turnlog
