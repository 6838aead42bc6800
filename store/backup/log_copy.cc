#include "store/backup/log_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "store/segments/log_end.h"

namespace turnlog {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

Result<EraseIntents> ReadEraseIntents(SegmentSet& segments, std::uint64_t from, std::uint64_t to) {
  EraseIntents intents;
  FrameScanner scanner(segments, from);
  scanner.LimitReadAhead(to);
  while (scanner.position() < to) {
    const Frame* frame = TURNLOG_TRY(NextOrRefresh(scanner, segments));
    if (frame == nullptr && !TURNLOG_TRY(scanner.Resync())) break;
    if (frame == nullptr || frame->header.type != FrameType::kEraseIntent) continue;
    const auto erased = DecodeErasure(frame->payload, frame->position);
    if (!erased) continue;
    for (const Tombstone& each : *erased) intents.frames.insert_or_assign(each.position, each);
    intents.end = frame->end();
  }
  return intents;
}

Result<std::optional<RecordIdentity>> RecordBefore(SegmentSet& segments, std::uint64_t position) {
  std::optional<RecordIdentity> record;
  const auto segment = TURNLOG_TRY(segments.Find(position - 1));
  if (segment == nullptr) return record;
  FrameScanner scanner(segments, segment->extent.first());
  scanner.LimitReadAhead(position);
  while (scanner.position() < position) {
    const Frame* frame = TURNLOG_TRY(NextOrRefresh(scanner, segments));
    if (frame == nullptr && !TURNLOG_TRY(scanner.Resync())) return record;
    if (frame == nullptr || frame->end() != position) continue;
    const FrameType type = frame->header.type;
    const bool erased = type == FrameType::kTombstone || type == FrameType::kReplacementTombstone;
    record = {segment->codec.Check(*frame), erased ? std::nullopt : std::optional(frame->header.hash)};
  }
  return record;
}

LogCopy::LogCopy(FileSystem& files, SegmentSet& source, std::filesystem::path folder)
    : files_(files), source_(source), folder_(std::move(folder)), buffer_(kPiece) {}

Status LogCopy::Extend(std::uint64_t from, std::uint64_t to, const OnBytes& on_bytes) {
  TURNLOG_TRY(RemoveFrom(to));
  for (const SegmentExtent& extent : source_.all()) {
    if (extent.end() > from && extent.base < to) TURNLOG_TRY(CopySegment(extent, from, to, on_bytes));
  }
  return files_.SyncDirectory(folder_);
}

// The source is synced first: a power loss must not take from the store what its backup has.
Status LogCopy::CopySegment(SegmentExtent extent, std::uint64_t from, std::uint64_t to, const OnBytes& on_bytes) {
  const auto segment = TURNLOG_TRY(source_.Find(extent.base));
  if (segment == nullptr) {
    return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("log/{} is gone", SegmentName(extent.base))});
  }
  TURNLOG_TRY(segment->file->Sync());
  const std::filesystem::path path = folder_ / SegmentName(extent.base);
  const std::uint64_t end = std::min(to, extent.end()) - extent.base;
  if (from > extent.base) {
    const auto file = TURNLOG_TRY(files_.Open(path, FileSystem::Access::kWrite));
    TURNLOG_TRY(file->Truncate(from - extent.base));  // what an interrupted copy may have left
    TURNLOG_TRY(file->Allocate(extent.size));         // the file is shorter only after a clean shutdown
    TURNLOG_TRY(CopyBytes(*segment, *file, from - extent.base, end, on_bytes));
    TURNLOG_TRY(file->Truncate(end));
    return file->Sync();
  }
  const std::filesystem::path temporary = path.string() + ".tmp";
  if (TURNLOG_TRY(Exists(files_, temporary))) TURNLOG_TRY(files_.Remove(temporary));
  {
    const auto file = TURNLOG_TRY(files_.Open(temporary, FileSystem::Access::kCreateNew));
    TURNLOG_TRY(CopyBytes(*segment, *file, 0, end, on_bytes));
    TURNLOG_TRY(file->Sync());
  }
  return files_.Rename(temporary, path);
}

// Bytes after the source's end count as zero, in the copy too.
Status LogCopy::CopyBytes(const OpenSegment& source, File& target, std::uint64_t begin, std::uint64_t end,
                          const OnBytes& on_bytes) {
  while (begin < end) {
    const std::span<char> piece(buffer_.data(), std::min<std::uint64_t>(kPiece, end - begin));
    const std::size_t got = TURNLOG_TRY(source_.ReadAt(source, source.extent.base + begin, piece));
    TURNLOG_TRY(target.WriteAt(begin, {piece.data(), got}));
    if (got < piece.size()) return {};
    begin += got;
    on_bytes(got);
  }
  return {};
}

Status LogCopy::Overwrite(const ErasedFrames& frames) {
  std::shared_ptr<OpenSegment> source;
  std::unique_ptr<File> file;
  for (const auto& [position, frame] : frames) {
    if (source == nullptr || position >= source->extent.end()) {
      if (file != nullptr) TURNLOG_TRY(file->Sync());
      source = TURNLOG_TRY(source_.Find(position));
      if (source == nullptr) continue;  // lost in the source, and not copied
      file = TURNLOG_TRY(files_.Open(folder_ / SegmentName(source->extent.base), FileSystem::Access::kWrite));
    }
    TURNLOG_TRY(file->WriteAt(position - source->extent.base, EncodeFrame(source->codec, frame)));
  }
  return file == nullptr ? Status() : file->Sync();
}

Status LogCopy::RemoveFrom(std::uint64_t position) {
  for (const std::string& name : TURNLOG_TRY(files_.List(folder_))) {
    const bool after_end = name.ends_with(".seg") && name >= SegmentName(position);
    if (after_end || name.ends_with(".seg.tmp")) TURNLOG_TRY(files_.Remove(folder_ / name));
  }
  return {};
}

}  // namespace turnlog
