#include "store/index/offset_block_cache.h"

#include <vector>

namespace turnlog {

std::optional<OffsetBlock> OffsetBlockCache::Find(const Key& key) const {
  const Shard& shard = shards_[ShardOf(key)];
  const std::scoped_lock lock(shard.mutex);
  const auto known = shard.blocks.find(key);
  return known == shard.blocks.end() ? std::nullopt : std::optional(known->second);
}

void OffsetBlockCache::Add(const Key& key, const OffsetBlock& block, std::uint64_t generation) {
  constexpr std::size_t kMostBlocks = kMostBytes / (sizeof(OffsetBlock) + sizeof(Key) + 2 * sizeof(void*));
  Shard& shard = shards_[ShardOf(key)];
  const std::scoped_lock lock(shard.mutex);
  if (generation != generation_) return;
  if (shard.blocks.size() >= kMostBlocks / shards_.size()) shard.blocks.clear();
  shard.blocks.insert_or_assign(key, block);
}

void OffsetBlockCache::Clear() {
  std::vector<std::unique_lock<std::mutex>> locks;
  locks.reserve(shards_.size());
  for (Shard& shard : shards_) locks.emplace_back(shard.mutex);
  ++generation_;
  for (Shard& shard : shards_) shard.blocks.clear();
}

}  // namespace turnlog
