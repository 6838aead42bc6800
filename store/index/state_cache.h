// A cache of recently used conversation states as stored in the index base. Any thread may call any member.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "store/index/conversation_projection.h"

namespace turnlog {

class StateCache {
 public:
  // Changes with the base. Call it before reading a state from the base.
  std::uint64_t generation() const;
  // Null if it is not cached.
  std::shared_ptr<const ConversationState> Find(const std::string& name) const;
  // Ignored if the base has changed since that generation.
  void Add(std::shared_ptr<const ConversationState> state, std::uint64_t generation);
  // The base has changed.
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::uint64_t generation_ = 0;
  std::unordered_map<std::string, std::shared_ptr<const ConversationState>> states_;
};

}  // namespace turnlog
