// Writes that a client sends again because it has lost the answer: each is done once, and answered alike.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "turnlog/result.h"

namespace turnlog {

// A client numbers its writes on each of its lanes, one at a time, and begins one only when it has the answer to the
// one before: so the last answer of each lane is enough. Lanes that were not used for long are forgotten when there are
// too many, or when their answers are too large together. Threads: all members may be called from any thread at once.
class WriteOnce {
  struct Lane;

 public:
  using Answer = Result<std::string>;

  // A write that has begun. The next one of its lane waits until it has ended; without an answer, it may begin again.
  class Write {
   public:
    Write(Write&& other) noexcept = default;
    Write& operator=(Write&&) = delete;
    ~Write();
    // Keeps the answer and gives it.
    Answer End(Answer answer);

   private:
    friend WriteOnce;
    Write(WriteOnce& all, std::string name, std::shared_ptr<Lane> lane)
        : all_(all), name_(std::move(name)), lane_(std::move(lane)) {}

    WriteOnce& all_;
    std::string name_;
    std::shared_ptr<Lane> lane_;  // null: it has ended
  };

  // `key`: LANE/NUMBER. Calls `write` and keeps its answer, or gives the one that is kept. If the same write is being
  // done, waits for it. kInvalidArgument: no key has this form, or a later write of the lane was done before.
  Answer Run(std::string_view key, const std::function<Answer()>& write);
  // The same without waiting. Nothing: what Run would do is something else than to begin.
  std::optional<Write> TryBegin(std::string_view key);
  // kInvalidArgument: no key has this form.
  static Status Check(std::string_view key);
  // Of the answers that are kept.
  std::size_t bytes();
  // Whether the write of this key has begun here.
  bool Knows(std::string_view key);

 private:
  struct Lane {
    std::mutex mutex;
    std::condition_variable ended;
    std::uint64_t begun = 0;   // the number of the last write that has begun
    std::uint64_t number = 0;  // of the last one that has ended, with its answer
    Answer answer;
    std::size_t bytes = 0;  // of the answer, as far as it is counted; under the mutex of all lanes

    bool busy() const { return begun != number; }
  };
  struct Key {
    std::string lane;
    std::uint64_t number = 0;
  };

  static Result<Key> Parse(std::string_view key);
  std::shared_ptr<Lane> Find(const std::string& name);
  void Count(const std::string& name, Lane& lane, std::size_t bytes);
  void ForgetOldest();

  std::mutex mutex_;
  std::list<std::string> order_;  // of use, the last one first
  std::unordered_map<std::string, std::pair<std::shared_ptr<Lane>, std::list<std::string>::iterator>> lanes_;
  std::size_t bytes_ = 0;
};

}  // namespace turnlog
