#include "migrate/import/imported_secrets.h"

#include <memory_resource>
#include <system_error>
#include <utility>
#include <vector>

#include "migrate/import/secret_search.h"

namespace turnlog {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{256} << 10;
constexpr std::size_t kLargeBytes = kBatchBytes / 8;  // of an event: copying it would not pay

}  // namespace

struct ImportedSecrets::Batch {
  void Clear() {
    events.clear();
    texts.clear();
    copies.release();
    bytes = 0;
  }

  std::size_t bytes = 0;
  std::vector<EncodedEvent> events;
  std::vector<std::string_view> texts;
  const std::unique_ptr<char[]> memory = std::make_unique_for_overwrite<char[]>(kBatchBytes);
  std::pmr::monotonic_buffer_resource copies{memory.get(), kBatchBytes};
};

ImportedSecrets::ImportedSecrets(const SecretSearch& search, bool beside) : search_(search), beside_(beside) {}

ImportedSecrets::~ImportedSecrets() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void ImportedSecrets::Count(std::span<const EncodedEvent> events) {
  for (const EncodedEvent& event : events) {
    if (Batch* const batch = RoomFor(event.payload.size())) {
      batch->events.push_back(CopyInto(batch->copies, event));
    } else {
      search_.Count(event.View(), found_);
    }
  }
}

void ImportedSecrets::Count(std::string_view text) {
  if (Batch* const batch = RoomFor(text.size())) {
    batch->texts.push_back(CopyInto(batch->copies, text));
  } else {
    search_.Count(text, found_);
  }
}

// Null: to be counted at once.
ImportedSecrets::Batch* ImportedSecrets::RoomFor(std::size_t size) {
  if (!beside_ || size > kLargeBytes) return nullptr;
  if (filling_ != nullptr && filling_->bytes + size > kBatchBytes) HandOver();
  if (filling_ == nullptr) filling_ = std::make_unique<Batch>();
  filling_->bytes += size;
  return filling_.get();
}

void ImportedSecrets::HandOver() {
  try {
    if (!thread_.joinable()) thread_ = std::jthread([this] { Work(); });
  } catch (const std::system_error&) {
    beside_ = false;  // the system has no more threads
  }
  if (!beside_ || !Offer()) CountNow(*filling_, found_);
}

// False: the thread has enough to do.
bool ImportedSecrets::Offer() {
  const std::scoped_lock lock(mutex_);
  if (waiting_ != nullptr) return false;
  waiting_ = std::exchange(filling_, std::move(spare_));
  changed_.notify_all();
  return true;
}

void ImportedSecrets::CountNow(Batch& batch, Found& found) const {
  for (const EncodedEvent& event : batch.events) search_.Count(event.View(), found);
  for (const std::string_view text : batch.texts) search_.Count(text, found);
  batch.Clear();
}

void ImportedSecrets::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return waiting_ != nullptr || stopped_; });
    if (stopped_) return;
    std::unique_ptr<Batch> batch = std::move(waiting_);
    working_ = true;
    lock.unlock();
    CountNow(*batch, found_beside_);
    lock.lock();
    spare_ = std::move(batch);
    working_ = false;
    changed_.notify_all();
  }
}

void ImportedSecrets::AddTo(Found& found) {
  if (filling_ != nullptr) CountNow(*filling_, found_);
  std::unique_lock lock(mutex_);
  if (const std::unique_ptr<Batch> rest = std::move(waiting_)) {
    lock.unlock();
    CountNow(*rest, found_);
    lock.lock();
  }
  changed_.wait(lock, [this] { return !working_; });
  for (Found* const part : {&found_, &found_beside_}) {
    for (const auto& [rule, count] : std::exchange(*part, {})) found[rule] += count;
  }
}

}  // namespace turnlog
