#include "migrate/import/read_ahead.h"

#include <cstring>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/event/encoded_size.h"

namespace turnlog {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{256} << 10;
constexpr std::size_t kBatches = 10;

}  // namespace

// Items, with the texts that the reader does not keep for them. It is filled again and again, always by the same
// thread: memory that one thread allocates and another one frees is expensive.
class ReadAhead::Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void Fill(SourceReader& reader) {
    items_.clear();
    texts_.release();
    last_name_ = {};
    next_ = 0;
    for (std::size_t bytes = 0; bytes < kBatchBytes && !is_last_;) {
      auto item = reader.Next();
      is_last_ = !item || std::holds_alternative<EndOfSource>(*item);
      if (!item) {
        error_ = std::move(item).error();
      } else {
        bytes += Keep(items_.emplace_back(*std::move(item)));
      }
    }
  }

  bool is_last() const { return is_last_; }
  bool empty() const { return next_ == items_.size(); }
  Result<SourceItem> Next() { return std::move(items_[next_++]); }
  // After its items.
  Result<SourceItem> End() const { return error_ ? Result<SourceItem>(std::unexpected(*error_)) : EndOfSource(); }

 private:
  // Returns about what it takes in memory.
  std::size_t Keep(SourceItem& item) {
    if (auto* event = std::get_if<SourceEvent>(&item)) {
      KeepName(event->conversation);
      if (event->texts == nullptr) event->event = CopyInto(texts_, event->event);
      return sizeof(SourceItem) + EncodedSizeBound(event->event);
    }
    if (auto* part = std::get_if<SourcePart>(&item)) {
      KeepName(part->conversation);
      return sizeof(SourceItem) + part->bytes.size();
    }
    if (auto* note = std::get_if<SourceNote>(&item)) KeepName(note->conversation);
    if (auto* point = std::get_if<SourceResumePoint>(&item)) KeepName(point->conversation);
    return sizeof(SourceItem);
  }

  void KeepName(std::string_view& name) {
    if (name.empty()) return;
    if (name != last_name_) {
      char* const kept = static_cast<char*>(texts_.allocate(name.size(), 1));
      std::memcpy(kept, name.data(), name.size());
      last_name_ = {kept, name.size()};
    }
    name = last_name_;
  }

  std::vector<SourceItem> items_;
  std::size_t next_ = 0;
  std::vector<char> memory_ = std::vector<char>(kBatchBytes);
  std::pmr::monotonic_buffer_resource texts_{memory_.data(), memory_.size()};
  std::string_view last_name_;
  std::optional<Error> error_;
  bool is_last_ = false;
};

ReadAhead::ReadAhead(std::unique_ptr<SourceReader> reader)
    : reader_(std::move(reader)), batch_(std::make_unique<Batch>()) {}

ReadAhead::~ReadAhead() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

Result<SourceItem> ReadAhead::Next() {
  while (batch_->empty()) {
    if (batch_->is_last()) return batch_->End();
    Advance();
  }
  return batch_->Next();
}

void ReadAhead::Advance() {
  if (!std::exchange(begun_, true)) return batch_->Fill(*reader_);
  if (!thread_.joinable()) {
    for (std::size_t i = 1; i < kBatches; ++i) free_.push_back(std::make_unique<Batch>());
    thread_ = std::jthread([this] { Work(); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty(); });
  free_.push_back(std::exchange(batch_, std::move(ready_.front())));
  ready_.pop_front();
  changed_.notify_all();
}

void ReadAhead::Work() {
  for (bool more = true; more;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !free_.empty() || stopped_; });
    if (stopped_) return;
    auto batch = std::move(free_.back());
    free_.pop_back();
    lock.unlock();
    batch->Fill(*reader_);
    more = !batch->is_last();
    lock.lock();
    ready_.push_back(std::move(batch));
    changed_.notify_all();
  }
}

}  // namespace turnlog
