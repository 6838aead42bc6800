// What every engine checks before it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "log/prepared_events.h"
#include "schema/event/open_inquiries.h"
#include "turnlog/log.h"

namespace turnlog {

// Refuses an append that no state of the conversation can make valid: one without events, a question for a secret with
// a default, or to an id that was moved from.
Status CheckAppend(const ConversationId& conversation, std::span<const EventView> events);
Status CheckAppend(const ConversationId& conversation, std::span<const EncodedEvent> events);

// kConflict unless `expected` is the conversation's last seq.
Status CheckExpected(const std::optional<Seq>& expected, std::uint64_t last);

// Ascending, each once.
std::vector<std::uint64_t> SortedSeqs(std::span<const Seq> seqs);

// Sets the results of the events: the old seq of those whose event_id is taken, in the log or earlier in the same
// append, and the next seqs of the others. `find`: the seq of an event_id in the log, as std::optional<std::uint64_t>.
// Returns how many are new.
template <class FindFn>
std::size_t MarkRepeats(PreparedEvents& events, std::uint64_t next_seq, FindFn find) {
  std::unordered_map<Hash128, std::uint64_t> here;
  std::size_t fresh = 0;
  for (PreparedEvents::One& one : events.events) {
    if (one.fields.event_id) {
      const auto [known, is_new] = here.emplace(*one.fields.event_id, next_seq + fresh);
      const std::optional<std::uint64_t> seq = is_new ? find(*one.fields.event_id) : std::optional(known->second);
      if (seq) {
        known->second = *seq;
        one.result = {.seq = {*seq}, .repeated = true};
        continue;
      }
    }
    one.result = {.seq = {next_seq + fresh++}};
  }
  return fresh;
}

std::vector<Hash128> EventIds(const PreparedEvents& events);

// kSecretRefused: one of the events is a clear answer to a question that asks for a secret. `open`: the conversation's
// inquiries before the append. REQUIRES: MarkRepeats.
Status RefuseSecrets(const OpenInquiries& open, const PreparedEvents& events);

// kInvalidArgument: wrong arguments of a redaction, whatever is stored.
Status CheckRedaction(std::span<const Replacement> replacements, const EventView& redaction);

}  // namespace turnlog
