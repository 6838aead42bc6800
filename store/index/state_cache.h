// States of conversations as the base has them, of those that were looked up lately. Any thread may call any member.
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
  // Of what the base holds: ask before you read it.
  std::uint64_t generation() const;
  // Null if it is not there.
  std::shared_ptr<const ConversationState> Find(const std::string& name) const;
  // Passed over if the base has changed since that generation.
  void Add(std::shared_ptr<const ConversationState> state, std::uint64_t generation);
  // The base has changed.
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::uint64_t generation_ = 0;
  std::unordered_map<std::string, std::shared_ptr<const ConversationState>> states_;
};

}  // namespace turnlog
