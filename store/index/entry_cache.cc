#include "store/index/entry_cache.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kEntriesKept = 1024;
constexpr std::size_t kReadersInTurn = 2;  // of one list

const std::string& NameOf(const ConversationEntry& entry) { return entry.state.name; }

}  // namespace

EntryCache::EntryPtr EntryCache::FindIn(const Page& page, const std::string& name) const {
  if (page == nullptr || page->empty() || name < NameOf(page->front()) || NameOf(page->back()) < name) return nullptr;
  const std::size_t near = found_.load(std::memory_order_relaxed);
  std::size_t at = near;
  const std::size_t end = std::min(near + kReadersInTurn + 1, page->size());
  while (at < end && NameOf((*page)[at]) != name) ++at;
  if (at >= end) {
    at = static_cast<std::size_t>(std::ranges::lower_bound(*page, name, {}, NameOf) - page->begin());
    if (NameOf((*page)[at]) != name) return nullptr;
  }
  if (at != near) found_.store(at, std::memory_order_relaxed);
  return {page, &(*page)[at]};
}

EntryCache::EntryPtr EntryCache::Find(const std::string& name) const {
  const std::shared_lock lock(mutex_);
  const auto known = entries_.find(name);
  if (known != entries_.end()) return known->second;
  EntryPtr listed = FindIn(page_, name);
  return listed != nullptr ? listed : FindIn(page_before_, name);
}

void EntryCache::Add(EntryPtr entry, std::uint64_t generation) {
  const std::scoped_lock lock(mutex_);
  if (generation != generation_) return;
  if (entries_.size() >= kEntriesKept) entries_.clear();
  entries_.insert_or_assign(NameOf(*entry), std::move(entry));
}

void EntryCache::AddPage(Page page, std::uint64_t generation) {
  const std::scoped_lock lock(mutex_);
  if (generation != generation_) return;
  page_before_.swap(page);  // the old one is destroyed without the lock
  page_before_.swap(page_);
}

void EntryCache::Clear() {
  const std::scoped_lock lock(mutex_);
  ++generation_;
  entries_.clear();
  page_ = page_before_ = nullptr;
}

}  // namespace turnlog
