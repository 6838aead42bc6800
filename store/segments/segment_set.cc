#include "store/segments/segment_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxOpenFiles = 64;
constexpr std::uint64_t kReadAlone = 4096;  // what is read again by itself when a larger read fails
constexpr std::string_view kUnreadable = "the disk cannot read these bytes";

}  // namespace

// A folder that is read while names come may show a later one without an earlier one. Two equal readings cannot: what
// came before a name of the first is there when the second begins.
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
  open_.remove_if(
      [&](const auto& segment) { return segment->place.base >= base && open_by_base_.erase(segment->place.base) > 0; });
  places_.erase(places_.lower_bound(base), places_.end());
  return AddLocked(names, nullptr);
}

Status SegmentSet::AddLocked(const std::vector<std::string>& names, std::vector<Damage>* damage) {
  for (const std::string& name : names) {
    if (!name.ends_with(".seg") || damaged_.contains(name)) continue;
    if (!places_.empty() && name <= SegmentName(places_.rbegin()->first)) continue;
    const auto place = ReadSegmentHeader(files_, folder_, name, identity_);
    if (!place && place.error().code == ErrorCode::kNotFound) continue;  // a spare one that the writer has removed
    if (!place && damage != nullptr && place.error().code == ErrorCode::kCorruption) {
      damage->push_back({.file = "log/" + name, .length = kSegmentHeaderBytes, .reason = place.error().message});
      damaged_.insert(name);
      continue;
    }
    if (!place) return std::unexpected(place.error());
    places_[place->base] = *place;
  }
  return {};
}

Result<std::shared_ptr<OpenSegment>> SegmentSet::Find(std::uint64_t position) {
  const std::scoped_lock lock(mutex_);
  auto next = places_.upper_bound(position);
  if (next == places_.begin()) return nullptr;
  --next;
  if (position >= next->second.end()) return nullptr;
  return OpenLocked(next->second);
}

std::optional<SegmentExtent> SegmentSet::NextFrom(std::uint64_t position) const {
  const std::scoped_lock lock(mutex_);
  const auto next = places_.lower_bound(position);
  if (next == places_.end()) return std::nullopt;
  return next->second;
}

std::vector<SegmentExtent> SegmentSet::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<SegmentExtent> places;
  places.reserve(places_.size());
  for (const auto& [base, place] : places_) places.push_back(place);
  return places;
}

Result<std::size_t> SegmentSet::ReadAt(const OpenSegment& segment, std::uint64_t position, std::span<char> out) {
  const std::uint64_t base = segment.place.base;
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
  const auto next = places_.upper_bound(position);
  const auto here = next == places_.begin() ? places_.end() : std::prev(next);
  if (here != places_.end() && position < here->second.end()) {
    return {.file = "log/" + SegmentName(here->first),
            .offset = position - here->first,
            .length = end - position,
            .reason = std::move(reason)};
  }
  // A missing segment begins where the one before it ends.
  const std::uint64_t base = here == places_.end() ? 0 : here->second.end();
  return {.file = "log/" + SegmentName(base),
          .offset = position - base,
          .length = end - position,
          .reason = "the segment is missing"};
}

Result<std::shared_ptr<OpenSegment>> SegmentSet::Prepare(SegmentExtent place) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = places_.find(place.base);
    if (known != places_.end() && known->second == place) return OpenLocked(place);
  }
  const std::scoped_lock creating(create_mutex_);
  TURNLOG_TRY(Create(place));
  const std::scoped_lock lock(mutex_);
  return OpenLocked(place);
}

Status SegmentSet::Preallocate(SegmentExtent place) {
  const std::scoped_lock creating(create_mutex_);
  {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t end = places_.empty() ? 0 : places_.rbegin()->second.end();
    if (place.base != end) return {};
  }
  return Create(place);
}

Status SegmentSet::Create(SegmentExtent place) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = places_.find(place.base);
    if (known != places_.end() && known->second == place) return {};  // made while we waited for our turn
    if (const auto open = open_by_base_.find(place.base); open != open_by_base_.end()) {
      open_.erase(open->second);
      open_by_base_.erase(open);
    }
  }
  TURNLOG_TRY(CreateSegment(files_, folder_, identity_, place));
  const std::scoped_lock lock(mutex_);
  places_[place.base] = place;
  return {};
}

Status SegmentSet::RemoveFrom(std::uint64_t base) {
  const std::scoped_lock lock(mutex_);
  open_.clear();
  open_by_base_.clear();
  bool removed = false;
  while (!places_.empty() && places_.rbegin()->first >= base) {
    TURNLOG_TRY(files_.Remove(folder_ / SegmentName(places_.rbegin()->first)));
    places_.erase(std::prev(places_.end()));
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

Result<std::shared_ptr<OpenSegment>> SegmentSet::OpenLocked(SegmentExtent place) {
  if (const auto known = open_by_base_.find(place.base); known != open_by_base_.end()) {
    open_.splice(open_.begin(), open_, known->second);
    return open_.front();
  }
  const auto access = writable_ ? FileSystem::Access::kWrite : FileSystem::Access::kRead;
  const std::string name = SegmentName(place.base);
  auto file = TURNLOG_TRY(files_.Open(folder_ / name, access));
  if (!writable_) {
    // The writer may have put a larger one in the place of a spare since it was listed.
    const auto now = ReadSegmentHeader(*file, name, identity_);
    if (now) places_[place.base] = place = *now;
  }
  open_.push_front(std::make_shared<OpenSegment>(OpenSegment{place, codec(place.version), std::move(file)}));
  open_by_base_[place.base] = open_.begin();
  if (open_.size() > kMaxOpenFiles) {
    open_by_base_.erase(open_.back()->place.base);
    open_.pop_back();
  }
  return open_.front();
}

}  // namespace turnlog
