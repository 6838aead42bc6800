// The fields of an event that engines index, and what a redaction must keep of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "schema/event/held_event.h"
#include "turnlog/event.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// Ids only as hashes: an index holds no content.
struct IndexedFields {
  EventKind kind = EventKind::kUnknown;
  std::uint64_t bytes = 0;  // of the payload
  std::optional<Timestamp> time;
  std::optional<Hash128> event_id;
  std::optional<Hash128> inquiry;  // of a request or response
  bool secret = false;             // request: the answer is a secret
  bool answered = false;           // response: carries an answer in clear
  std::optional<SeqRange> repair;  // that a valid `repair` event touches
};

IndexedFields IndexedFieldsOf(const EventView& event, std::uint64_t payload_bytes, std::uint64_t salt);
// The same, reading no more of the event than it needs.
IndexedFields IndexedFieldsOf(const EncodedEvent& event, std::uint64_t salt);
// The same of a payload from the log. Fails as DecodeEvent does, but only if these fields cannot be read.
Result<IndexedFields> DecodeIndexedFields(EventKind kind, std::string_view payload, std::uint64_t salt);

// The field that a replacement changes but must keep, because indexes and other events know the event by it; empty if
// there is none.
std::string_view ChangedField(const IndexedFields& was, const IndexedFields& is);

// Whether the event has this inquiry id: the same text, and the same key if `id` has one.
bool HasInquiryId(const EventView& event, const InquiryIdView& id);

std::string OpenInquiryKey(const Hash128& inquiry);

}  // namespace turnlog
