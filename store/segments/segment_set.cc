#include "store/segments/segment_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxOpenFiles = 64;
constexpr std::uint64_t kReadAlone = 4096;  // unit of retries when a larger read fails
constexpr std::string_view kUnreadable = "the disk cannot read these bytes";

}  // namespace

// A listing that runs while segments are created may contain a later name without an earlier one. Two equal listings
// cannot: everything created before a name in the first listing is contained in the second.
Result<std::vector<std::string>> SegmentSet::Names() {
  auto names = TURNLOG_TRY(files_.List(folder_));
  for (bool settled = writable_; !settled;) {
    auto again = TURNLOG_TRY(files_.List(folder_));
    settled = again == names;
    names = std::move(again);
  }
  return names;
}

Status SegmentSet::Refresh(std::vector<Damage>* damage) {
  const auto names = TURNLOG_TRY(Names());
  const std::scoped_lock lock(mutex_);
  return AddLocked(names, damage);
}

Status SegmentSet::Renew(std::uint64_t base) {
  const auto names = TURNLOG_TRY(Names());
  const std::scoped_lock lock(mutex_);
  open_.remove_if([&](const auto& segment) {
    return segment->extent.base >= base && open_by_base_.erase(segment->extent.base) > 0;
  });
  extents_.erase(extents_.lower_bound(base), extents_.end());
  return AddLocked(names, nullptr);
}

Status SegmentSet::AddLocked(const std::vector<std::string>& names, std::vector<Damage>* damage) {
  for (const std::string& name : names) {
    if (!name.ends_with(".seg") || damaged_.contains(name)) continue;
    if (!extents_.empty() && name <= SegmentName(extents_.rbegin()->first)) continue;
    const auto extent = ReadSegmentHeader(files_, folder_, name, identity_);
    if (!extent && extent.error().code == ErrorCode::kNotFound)
      continue;  // a preallocated segment that the writer has removed
    if (!extent && damage != nullptr && extent.error().code == ErrorCode::kCorruption) {
      damage->push_back({.file = "log/" + name, .length = kSegmentHeaderBytes, .reason = extent.error().message});
      damaged_.insert(name);
      continue;
    }
    if (!extent) return std::unexpected(extent.error());
    extents_[extent->base] = *extent;
  }
  return {};
}

Result<std::shared_ptr<OpenSegment>> SegmentSet::Find(std::uint64_t position) {
  const std::scoped_lock lock(mutex_);
  auto next = extents_.upper_bound(position);
  if (next == extents_.begin()) return nullptr;
  --next;
  if (position >= next->second.end()) return nullptr;
  return OpenLocked(next->second);
}

std::optional<SegmentExtent> SegmentSet::NextFrom(std::uint64_t position) const {
  const std::scoped_lock lock(mutex_);
  const auto next = extents_.lower_bound(position);
  if (next == extents_.end()) return std::nullopt;
  return next->second;
}

std::vector<SegmentExtent> SegmentSet::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<SegmentExtent> extents;
  extents.reserve(extents_.size());
  for (const auto& [base, extent] : extents_) extents.push_back(extent);
  return extents;
}

Result<std::size_t> SegmentSet::ReadAt(const OpenSegment& segment, std::uint64_t position, std::span<char> out) {
  const std::uint64_t base = segment.extent.base;
  const auto whole = segment.file->ReadAt(position - base, out);
  if (whole || whole.error().code != ErrorCode::kCorruption) return whole;
  for (std::size_t done = 0; done < out.size();) {
    const std::uint64_t offset = position - base + done;
    const std::span<char> page =
        out.subspan(done, std::min<std::uint64_t>(kReadAlone - offset % kReadAlone, out.size() - done));
    const auto got = segment.file->ReadAt(offset, page);
    if (!got && got.error().code != ErrorCode::kCorruption) return got;
    if (got && *got < page.size()) return done + *got;
    if (!got) {
      std::ranges::fill(page, '\xFF');
      const std::scoped_lock lock(mutex_);
      unreadable_.insert(base + offset - offset % kReadAlone);
    }
    done += page.size();
  }
  return out.size();
}

std::optional<Damage> SegmentSet::UnreadableFrom(std::uint64_t position) const {
  std::uint64_t found = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto next = unreadable_.lower_bound(position - position % kReadAlone);
    if (next == unreadable_.end()) return std::nullopt;
    found = *next;
  }
  return DamageAt(found, found + kReadAlone, std::string(kUnreadable));
}

Damage SegmentSet::DamageAt(std::uint64_t position, std::uint64_t end, std::string reason) const {
  const std::scoped_lock lock(mutex_);
  const auto bad = unreadable_.lower_bound(position - position % kReadAlone);
  if (bad != unreadable_.end() && *bad < end) reason = kUnreadable;
  const auto next = extents_.upper_bound(position);
  const auto here = next == extents_.begin() ? extents_.end() : std::prev(next);
  if (here != extents_.end() && position < here->second.end()) {
    return {.file = "log/" + SegmentName(here->first),
            .offset = position - here->first,
            .length = end - position,
            .reason = std::move(reason)};
  }
  // A missing segment begins where the one before it ends.
  const std::uint64_t base = here == extents_.end() ? 0 : here->second.end();
  return {.file = "log/" + SegmentName(base),
          .offset = position - base,
          .length = end - position,
          .reason = "the segment is missing"};
}

Result<std::shared_ptr<OpenSegment>> SegmentSet::Prepare(SegmentExtent extent) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = extents_.find(extent.base);
    if (known != extents_.end() && known->second == extent) return OpenLocked(extent);
  }
  const std::scoped_lock creating(create_mutex_);
  TURNLOG_TRY(Create(extent));
  const std::scoped_lock lock(mutex_);
  return OpenLocked(extent);
}

Status SegmentSet::Preallocate(SegmentExtent extent) {
  const std::scoped_lock creating(create_mutex_);
  {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t end = extents_.empty() ? 0 : extents_.rbegin()->second.end();
    if (extent.base != end) return {};
  }
  return Create(extent);
}

Status SegmentSet::Create(SegmentExtent extent) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = extents_.find(extent.base);
    if (known != extents_.end() && known->second == extent)
      return {};  // created while this thread waited for create_mutex_
    if (const auto open = open_by_base_.find(extent.base); open != open_by_base_.end()) {
      open_.erase(open->second);
      open_by_base_.erase(open);
    }
  }
  TURNLOG_TRY(CreateSegment(files_, folder_, identity_, extent));
  const std::scoped_lock lock(mutex_);
  extents_[extent.base] = extent;
  return {};
}

Status SegmentSet::RemoveFrom(std::uint64_t base) {
  const std::scoped_lock lock(mutex_);
  open_.clear();
  open_by_base_.clear();
  bool removed = false;
  while (!extents_.empty() && extents_.rbegin()->first >= base) {
    TURNLOG_TRY(files_.Remove(folder_ / SegmentName(extents_.rbegin()->first)));
    extents_.erase(std::prev(extents_.end()));
    removed = true;
  }
  if (removed) TURNLOG_TRY(files_.SyncDirectory(folder_));
  return {};
}

Status SegmentSet::RemoveTemporaries() {
  for (const std::string& name : TURNLOG_TRY(files_.List(folder_))) {
    if (name.ends_with(".seg.tmp")) TURNLOG_TRY(files_.Remove(folder_ / name));
  }
  return {};
}

Result<std::shared_ptr<OpenSegment>> SegmentSet::OpenLocked(SegmentExtent extent) {
  if (const auto known = open_by_base_.find(extent.base); known != open_by_base_.end()) {
    open_.splice(open_.begin(), open_, known->second);
    return open_.front();
  }
  const auto access = writable_ ? FileSystem::Access::kWrite : FileSystem::Access::kRead;
  const std::string name = SegmentName(extent.base);
  auto opened = files_.Open(folder_ / name, access);
  if (!opened && !writable_ && opened.error().code == ErrorCode::kNotFound) {
    extents_.erase(extent.base);
    return nullptr;
  }
  auto file = TURNLOG_TRY(std::move(opened));
  if (!writable_) {
    // The writer may have replaced a preallocated segment by a larger one since the listing.
    const auto now = ReadSegmentHeader(*file, name, identity_);
    if (now) extents_[extent.base] = extent = *now;
  }
  open_.push_front(std::make_shared<OpenSegment>(OpenSegment{extent, codec(extent.version), std::move(file)}));
  open_by_base_[extent.base] = open_.begin();
  if (open_.size() > kMaxOpenFiles) {
    open_by_base_.erase(open_.back()->extent.base);
    open_.pop_back();
  }
  return open_.front();
}

}  // namespace turnlog
