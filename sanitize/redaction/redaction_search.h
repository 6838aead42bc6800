// What a redaction finds in one conversation. The redaction's state does not change meanwhile: several conversations
// are searched at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sanitize/redaction/found_secrets.h"
#include "sanitize/redaction/redaction_state.h"

namespace turnlog {

struct SecretSources {
  SecretValues values;  // in these sources, with numbers of their own
  ConversationSources sources;
  std::vector<UnsearchedValue> unsearched;
  std::vector<Damage> damage;
  std::optional<SearchWatermark> searched;  // how far by now; nothing: all of it had been searched before
  std::uint64_t events_read = 0;
};

struct SecretOccurrences {
  PlannedConversation planned;  // without events: nothing is to be redacted
  std::vector<ValueLocation> kept, opaque;
  std::vector<Damage> damage;
  FoundSecrets secrets;
  std::set<std::string> hashes;  // of arguments that are to be changed
  bool may_have_hashes = false;  // some event
};

// Any thread may call any member.
class RedactionSearch {
 public:
  // `on_read` is called with the bytes of each event, on any of these threads.
  RedactionSearch(const RedactionState& state, const RedactionTargets& targets,
                  std::function<void(std::uint64_t bytes)> on_read)
      : state_(state), targets_(targets), on_read_(std::move(on_read)) {}

  Result<SecretSources> Sources(const ConversationId& id) const;
  // Of all values that the state has.
  Result<SecretOccurrences> Occurrences(const ConversationId& id) const;

 private:
  // Called with each record of a conversation, in order.
  using OnRecord = std::function<Status(const Record&)>;
  Result<Seq> ForEachRecord(const ConversationId& id, Seq from, std::vector<Damage>& damage,
                            const OnRecord& on_record) const;
  Status AddOccurrences(const Record& record, const ConversationSources& sources, std::vector<PlannedEvent>& prints,
                        SecretOccurrences& found) const;
  Result<bool> Changes(const PlannedEvent& event, const Record& record, SecretOccurrences& found) const;

  const RedactionState& state_;
  const RedactionTargets& targets_;
  const std::function<void(std::uint64_t)> on_read_;
};

}  // namespace turnlog
