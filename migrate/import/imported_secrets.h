// Counts the secrets in what is imported, on a thread of its own if there is a processor for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "schema/event/held_event.h"

namespace turnlog {

class SecretSearch;

// Memory: three batches of 256 KiB.
class ImportedSecrets {
 public:
  using Found = std::map<std::string, std::uint64_t>;  // by rule

  // `search` must outlive it. `beside`: on another thread, which the caller's helps when it falls behind.
  ImportedSecrets(const SecretSearch& search, bool beside);
  ImportedSecrets(const ImportedSecrets&) = delete;
  ImportedSecrets& operator=(const ImportedSecrets&) = delete;
  ~ImportedSecrets();

  void Count(std::span<const EncodedEvent> events);
  void Count(std::string_view text);
  // Adds what all events have that were counted since the last call.
  void AddTo(Found& found);

 private:
  struct Batch;

  Batch* RoomFor(std::size_t size);
  void HandOver();
  bool Offer();
  void CountNow(Batch& batch, Found& found) const;
  void Work();

  const SecretSearch& search_;
  bool beside_;
  std::unique_ptr<Batch> filling_;
  Found found_;  // on the caller's thread

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::unique_ptr<Batch> waiting_, spare_;
  bool working_ = false, stopped_ = false;
  Found found_beside_;   // the thread's own while it works
  std::jthread thread_;  // the last member: it ends before the others do
};

}  // namespace turnlog
