#include "service/storage_source.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/secret_string.h"
#include "remote/item_stream.h"

namespace turnlog {
namespace {

constexpr std::size_t kAhead = std::size_t{8} << 20;  // of items that the client has not taken

class StorageSource : public BodySource, private StorageVisitor {
 public:
  StorageSource(Log& log, std::size_t overlap) : log_(log), overlap_(overlap), thread_([this] { Visit(); }) {}
  ~StorageSource() override {
    {
      const std::scoped_lock lock(mutex_);
      abandoned_ = true;
      Wipe(items_);
    }
    changed_.notify_all();
    thread_.join();
  }

  Result<State> Read(std::string& piece) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty() || done_; });
    piece += items_;
    Wipe(items_);
    const State state = done_ ? State::kEnd : State::kMore;
    lock.unlock();
    changed_.notify_all();
    return state;
  }

 private:
  void Visit() {
    const Progress progress = [this](std::uint64_t done, std::uint64_t total) {
      Put([&](ItemWriter& items) { items.AddProgress(done, total); });
    };
    const Status visited = log_.VisitStorage({.overlap = overlap_, .progress = progress}, *this);
    Put([&](ItemWriter& items) { visited ? items.Add(EndOfLog{}) : items.Add(visited.error()); });
    const std::scoped_lock lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  void Put(const auto& add) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.size() < kAhead || abandoned_; });
    if (abandoned_) return;
    ItemWriter items(items_);
    add(items);
    lock.unlock();
    changed_.notify_all();
  }

  void OnPiece(const StoragePiece& piece) override {
    Put([&](ItemWriter& items) { items.Add(piece); });
  }
  void OnEntry(std::string_view object, std::string_view key, std::string_view value) override {
    Put([&](ItemWriter& items) { items.AddEntry(object, key, value); });
  }
  void OnUnreadable(std::string_view object, std::string_view reason) override {
    Put([&](ItemWriter& items) { items.AddUnreadable(object, reason); });
  }

  Log& log_;
  const std::size_t overlap_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string items_;
  bool done_ = false, abandoned_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

std::unique_ptr<BodySource> StorageOf(Log& log, std::size_t overlap) {
  return std::make_unique<StorageSource>(log, overlap);
}

}  // namespace turnlog
