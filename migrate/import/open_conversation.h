// A conversation that is being imported, and what its source has shown of it since its last flush.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "migrate/import/conversation_import.h"

namespace turnlog {

class OpenConversation {
 public:
  OpenConversation(Hash128 hash, ImportRun& run, ConversationId id, ConversationSource source)
      : key(hash), import(run, std::move(id), std::move(source)) {}

  const Hash128 key;
  ConversationImport import;
  bool refused = false;  // by a flush

  void Add(SourceEvent&& event);
  // All events were added.
  bool complete() const { return added_ == import.events(); }
  // Of the events since the last call of Take.
  std::size_t bytes() const { return bytes_; }
  std::vector<WaitingEvent> Take();

 private:
  std::vector<WaitingEvent> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t added_ = 0;
};

}  // namespace turnlog
