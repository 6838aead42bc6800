#include "migrate/import/read_ahead.h"

#include <memory_resource>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "schema/event/held_event.h"

namespace turnlog {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{256} << 10;
constexpr std::size_t kMostReady = 8;

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
      if (event->memory == nullptr) event->event = CopyInto(texts_, event->event);
      return sizeof(SourceItem) + event->event.payload.size();
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
    if (name != last_name_) last_name_ = CopyInto(texts_, name);
    name = last_name_;
  }

  std::vector<SourceItem> items_;
  std::size_t next_ = 0;
  const std::unique_ptr<char[]> memory_ = std::make_unique_for_overwrite<char[]>(kBatchBytes);
  std::pmr::monotonic_buffer_resource texts_{memory_.get(), kBatchBytes};
  std::string_view last_name_;
  std::optional<Error> error_;
  bool is_last_ = false;
};

ReadAhead::ReadAhead(std::unique_ptr<SourceReader> reader) : reader_(std::move(reader)) {}

ReadAhead::~ReadAhead() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

Result<SourceItem> ReadAhead::Next() {
  if (batch_ == nullptr) {
    batch_ = std::make_unique<Batch>();
    batch_->Fill(*reader_);
  }
  while (batch_->empty()) {
    if (batch_->is_last()) return batch_->End();
    Advance();
  }
  return batch_->Next();
}

void ReadAhead::Advance() {
  if (!thread_.joinable()) {
    try {
      thread_ = std::jthread([this] { Work(); });
    } catch (const std::system_error&) {
      return batch_->Fill(*reader_);  // the system has no thread for it
    }
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty(); });
  free_.push_back(std::exchange(batch_, std::move(ready_.front())));
  ready_.pop_front();
  changed_.notify_all();
}

void ReadAhead::Work() {
  for (bool more = true; more;) {
    std::unique_ptr<Batch> batch = TakeFree();
    if (batch == nullptr) return;
    batch->Fill(*reader_);
    more = !batch->is_last();
    const std::scoped_lock lock(mutex_);
    ready_.push_back(std::move(batch));
    changed_.notify_all();
  }
}

// Null: nobody wants more.
std::unique_ptr<ReadAhead::Batch> ReadAhead::TakeFree() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_.size() < kMostReady || stopped_; });
  if (stopped_) return nullptr;
  if (free_.empty()) return std::make_unique<Batch>();
  std::unique_ptr<Batch> batch = std::move(free_.back());
  free_.pop_back();
  return batch;
}

}  // namespace turnlog
