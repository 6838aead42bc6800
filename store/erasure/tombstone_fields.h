// The fields that a tombstone keeps of an event: those that the index needs, so that a rebuilt index equals the old
// one, and the position of its replacement, if it has one. No content; ids only as the salted hashes that the index
// holds anyway.
#pragma once

#include <optional>
#include <string>

#include "store/index/conversation_projection.h"
#include "store/segments/frame.h"

namespace turnlog {

struct ErasedEvent {
  IndexedFields fields;  // of the event as it was appended
  FrameRef replacement;  // missing(): the event was erased, not redacted
};

// Always shorter than the encoded event. `compressed`: the payload was, so that fields.bytes is not its length.
std::string EncodeTombstoneFields(const IndexedFields& fields, const FrameRef& replacement = {},
                                  bool compressed = false);
// At least the length of what EncodeTombstoneFields returns, for any replacement.
std::size_t TombstoneFieldsBound(const IndexedFields& fields);
// Decodes a kTombstone frame; nothing if it cannot be read.
std::optional<ErasedEvent> DecodeTombstone(const Frame& erased);

}  // namespace turnlog
