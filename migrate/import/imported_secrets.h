// Counts the secrets in what is imported, on a thread of its own if there is a processor for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/work_beside.h"
#include "sanitize/secrets/text_sieve.h"
#include "schema/event/held_event.h"

namespace turnlog {

class SecretSearch;

// Memory: three batches of 256 KiB, and the texts in them once more.
class ImportedSecrets {
 public:
  using Found = std::map<std::string, std::uint64_t>;  // by rule

  // `search` must outlive it. `beside`: on another thread, which the caller's helps when it falls behind.
  ImportedSecrets(const SecretSearch& search, bool beside) : search_(search), is_beside_(beside) {}

  void Count(std::span<const EncodedEvent> events);
  void Count(std::string_view text);
  // Adds what all have that were counted since the last call.
  void AddTo(Found& found);

 private:
  static constexpr std::size_t kBatchBytes = std::size_t{256} << 10;

  // Copies of what is to be counted.
  struct Batch {
    explicit Batch(const SecretDetector& detector) : sieve(detector) {}

    std::size_t bytes = 0;
    std::vector<EncodedEvent> events;
    std::vector<std::string_view> texts;
    const std::unique_ptr<char[]> memory = std::make_unique_for_overwrite<char[]>(kBatchBytes);
    std::pmr::monotonic_buffer_resource copies{memory.get(), kBatchBytes};
    TextSieve sieve;
  };

  Batch* RoomFor(std::size_t size);
  void CountIn(Batch& batch, Found& found) const;

  const SecretSearch& search_;
  const bool is_beside_;
  std::unique_ptr<Batch> filling_;
  Found found_, found_beside_;  // on the caller's thread, on the other one
  WorkBeside<Batch> beside_{[this](Batch& batch) { CountIn(batch, found_beside_); }};
};

}  // namespace turnlog
