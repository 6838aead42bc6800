#include "store/index/state_cache.h"

#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kStatesKept = 1024;

}  // namespace

std::uint64_t StateCache::generation() const {
  const std::scoped_lock lock(mutex_);
  return generation_;
}

std::shared_ptr<const ConversationState> StateCache::Find(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto known = states_.find(name);
  return known == states_.end() ? nullptr : known->second;
}

void StateCache::Add(std::shared_ptr<const ConversationState> state, std::uint64_t generation) {
  const std::scoped_lock lock(mutex_);
  if (generation != generation_) return;
  if (states_.size() >= kStatesKept) states_.clear();
  states_.insert_or_assign(state->name, std::move(state));
}

void StateCache::Clear() {
  const std::scoped_lock lock(mutex_);
  ++generation_;
  states_.clear();
}

}  // namespace turnlog
