// A cache of recently used conversation entries of the index base. Any thread may call any member.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/index/conversation_projection.h"

namespace turnlog {

class EntryCache {
 public:
  using EntryPtr = std::shared_ptr<const ConversationEntry>;
  using Page = std::shared_ptr<const std::vector<ConversationEntry>>;

  // Changes with the base. Call it before reading an entry from the base.
  std::uint64_t generation() const { return generation_; }
  // Null if it is not cached.
  EntryPtr Find(const std::string& name) const;
  // Ignored if the base has changed since that generation.
  void Add(EntryPtr entry, std::uint64_t generation);
  // The same for many entries, in order of their names. A caller that lists conversations usually reads them next, and
  // may list the next ones meanwhile: the last two pages are kept.
  void AddPage(Page page, std::uint64_t generation);
  // The base has changed.
  void Clear();

 private:
  EntryPtr FindIn(const Page& page, const std::string& name) const;

  std::atomic<std::uint64_t> generation_ = 0;  // changed with the mutex held
  mutable std::shared_mutex mutex_;            // guards what follows
  std::unordered_map<std::string, EntryPtr> entries_;
  Page page_, page_before_;
  mutable std::atomic<std::size_t> found_ = 0;  // where the last one was in its page: the next one is near
};

}  // namespace turnlog
