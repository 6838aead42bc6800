#include "service/event_hub.h"

#include <utility>

namespace turnlog {

EventHub::~EventHub() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t EventHub::Subscribe(std::optional<std::string> conversation, std::function<void()> wake) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t id = ++last_id_;
  if (conversation) {
    by_conversation_.emplace(*conversation, id);
  } else {
    of_all_.insert(id);
  }
  subscribers_.emplace(id, Subscriber{std::move(conversation), std::move(wake)});
  return id;
}

void EventHub::Subscription::Reset() {
  if (hub_ != nullptr) hub_->Unsubscribe(id_);
  hub_ = nullptr;
}

void EventHub::Unsubscribe(std::uint64_t id) {
  const std::scoped_lock lock(mutex_);
  const auto found = subscribers_.find(id);
  if (found == subscribers_.end()) return;
  if (const auto& conversation = found->second.conversation) {
    auto [entry, end] = by_conversation_.equal_range(*conversation);
    while (entry != end && entry->second != id) ++entry;
    if (entry != end) by_conversation_.erase(entry);
  }
  of_all_.erase(id);
  subscribers_.erase(found);
}

void EventHub::Notify(const std::string& conversation) {
  {
    const std::scoped_lock lock(mutex_);
    if (of_all_.empty() && !by_conversation_.contains(conversation)) return;
    if (dirty_.empty()) dirty_since_ = std::chrono::steady_clock::now();
    dirty_.insert(conversation);
  }
  changed_.notify_one();
}

std::size_t EventHub::subscribers() const {
  const std::scoped_lock lock(mutex_);
  return subscribers_.size();
}

void EventHub::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !dirty_.empty(); });
    if (stopping_) return;
    const std::set<std::string> dirty = std::exchange(dirty_, {});
    const auto since = dirty_since_;
    lock.unlock();
    const bool again = before_waking_();
    lock.lock();
    if (stopping_) return;
    if (again) {
      dirty_.insert(dirty.begin(), dirty.end());
      dirty_since_ = since;
    }
    woken_for_ = since;
    for (const std::uint64_t id : of_all_) subscribers_.at(id).wake();
    for (const std::string& conversation : dirty) {
      const auto [first, last] = by_conversation_.equal_range(conversation);
      for (auto entry = first; entry != last; ++entry) subscribers_.at(entry->second).wake();
    }
  }
}

}  // namespace turnlog
