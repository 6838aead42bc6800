// Wakes those who wait for more events, from a thread of its own, so that an append does not wait for them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace turnlog {

class EventHub {
 public:
  // `before_waking`: called on the hub's thread, once for all who are woken then, and again after that while it returns
  // true.
  explicit EventHub(std::function<bool()> before_waking)
      : before_waking_(std::move(before_waking)), thread_([this] { Run(); }) {}
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  // Ends with its destruction. The hub must outlive it.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(EventHub& hub, std::uint64_t id) : hub_(&hub), id_(id) {}
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    ~Subscription() { Reset(); }
    void Begin(EventHub& hub, std::uint64_t id) { Reset(), hub_ = &hub, id_ = id; }
    void Reset();

   private:
    EventHub* hub_ = nullptr;
    std::uint64_t id_ = 0;
  };

  // Calls `wake`, which must be quick, after events of this conversation, or of any. For Subscription::Begin.
  std::uint64_t Subscribe(std::optional<std::string> conversation, std::function<void()> wake);
  // Events were appended, or changed.
  void Notify(const std::string& conversation);
  std::size_t subscribers() const;
  // When the first of the events came that `wake` is called for.
  std::chrono::steady_clock::time_point woken_for() const { return woken_for_; }

 private:
  struct Subscriber {
    std::optional<std::string> conversation;
    std::function<void()> wake;
  };

  void Run();
  void Unsubscribe(std::uint64_t id);

  const std::function<bool()> before_waking_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Subscriber> subscribers_;
  std::multimap<std::string, std::uint64_t> by_conversation_;
  std::set<std::uint64_t> of_all_;
  std::uint64_t last_id_ = 0;
  std::set<std::string> dirty_;
  std::chrono::steady_clock::time_point dirty_since_;
  std::atomic<std::chrono::steady_clock::time_point> woken_for_ = {};
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace turnlog
