#include "store/erasure/erasures.h"

#include <algorithm>
#include <utility>

namespace turnlog {

void Erasures::AddIntent(std::uint64_t end, std::vector<Tombstone> frames) {
  const std::scoped_lock lock(mutex_);
  for (Tombstone& frame : frames) {
    const std::uint64_t position = frame.position;
    frames_.insert_or_assign(position, Announced{end, std::move(frame)});
  }
  // In this order: a thread that sees the new end, without the lock, also sees that there are some.
  any_ = !frames_.empty();
  last_record_end_ = std::max(last_record_end_.load(), end);
}

void Erasures::Done(std::uint64_t end) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(frames_, [&](const auto& entry) { return entry.second.end < end; });
  last_record_end_ = std::max(last_record_end_.load(), end);
  any_ = !frames_.empty();
}

void Erasures::ReadTo(std::uint64_t end) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(frames_, [&](const auto& entry) { return entry.second.end > end; });
  last_record_end_ = std::min(last_record_end_.load(), end);
  read_to_ = end;
  any_ = !frames_.empty();
}

std::optional<Tombstone> Erasures::At(std::uint64_t position) const {
  if (!any_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto found = frames_.find(position);
  return found == frames_.end() ? std::nullopt : std::optional(found->second.frame);
}

std::vector<Tombstone> Erasures::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Tombstone> frames;
  frames.reserve(frames_.size());
  for (const auto& [position, announced] : frames_) frames.push_back(announced.frame);
  return frames;
}

std::uint64_t Erasures::read_to() const {
  const std::scoped_lock lock(mutex_);
  return read_to_;
}

}  // namespace turnlog
