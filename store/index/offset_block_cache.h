// A cache of complete blocks of offsets that were read from the index base one by one. Nothing invalidates them while
// the base stays the same: a complete block never changes. Any thread may call any member.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "store/index/conversation_projection.h"

namespace turnlog {

using OffsetBlock = std::array<FrameRef, kBlockLength>;

class OffsetBlockCache {
 public:
  struct Key {
    std::uint32_t conversation = 0;
    std::uint64_t block = 0;
    bool operator==(const Key&) const = default;
  };

  // Changes when the base is replaced. Call it before reading a block from the base.
  std::uint64_t generation() const { return generation_; }
  std::optional<OffsetBlock> Find(const Key& key) const;
  // Ignored if the base has been replaced since that generation.
  void Add(const Key& key, const OffsetBlock& block, std::uint64_t generation);
  void Clear();

  // Of all blocks, approximately.
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

 private:
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return (key.block ^ std::uint64_t{key.conversation} << 32) * 0x9E3779B97F4A7C15;
    }
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<Key, OffsetBlock, KeyHash> blocks;
  };
  static std::size_t ShardOf(const Key& key) { return KeyHash()(key) >> 60; }

  std::atomic<std::uint64_t> generation_ = 0;  // changed with all mutexes held
  std::array<Shard, 16> shards_;
};

}  // namespace turnlog
