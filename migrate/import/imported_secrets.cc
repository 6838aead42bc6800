#include "migrate/import/imported_secrets.h"

#include <utility>

#include "migrate/import/secret_search.h"
#include "schema/event/event_texts.h"

namespace turnlog {

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
  constexpr std::size_t kLargeBytes = kBatchBytes / 8;  // copying more would not pay
  if (size > kLargeBytes) return nullptr;
  const bool is_full = filling_ != nullptr && filling_->bytes + size > kBatchBytes;
  if (is_full && !(is_beside_ && beside_.Offer(filling_))) CountIn(*filling_, found_);
  if (filling_ == nullptr) filling_ = std::make_unique<Batch>(search_.detector());
  filling_->bytes += size;
  return filling_.get();
}

void ImportedSecrets::CountIn(Batch& batch, Found& found) const {
  const auto count = [&](std::string_view text) {
    text.size() > TextSieve::kMaxBytes ? search_.Count(text, found) : batch.sieve.Add(text);
  };
  for (const EncodedEvent& encoded : batch.events) {
    EventView event = encoded.View();
    ForEachText(event, [&](std::string_view, TextKind, std::string_view& text) { count(text); });
  }
  for (const std::string_view text : batch.texts) count(text);
  batch.sieve.Empty([&](std::string_view text) { search_.Count(text, found); });
  batch.events.clear();
  batch.texts.clear();
  batch.copies.release();
  batch.bytes = 0;
}

void ImportedSecrets::AddTo(Found& found) {
  if (filling_ != nullptr) CountIn(*filling_, found_);
  if (const auto rest = beside_.TakeBack()) CountIn(*rest, found_);
  beside_.Await();
  for (Found* const part : {&found_, &found_beside_}) {
    for (const auto& [rule, count] : std::exchange(*part, {})) found[rule] += count;
  }
}

}  // namespace turnlog
