// What is left of an erased event: as much as the index needs to know of it, so that an index that is made anew equals
// the one before, and where its redacted form stands, if it has one. Nothing of its content; ids only as the salted
// hashes that the index holds anyway.
#pragma once

#include <optional>
#include <string>

#include "store/index/conversation_projection.h"
#include "store/segments/frame.h"

namespace turnlog {

struct ErasedEvent {
  IndexedFields fields;  // of the event as it was appended
  FrameRef replacement;  // missing(): the event is gone
};

// Always shorter than the encoding of the event that the fields are of.
std::string EncodeFacts(const IndexedFields& fields, const FrameRef& replacement = {});
// Of a kTombstone frame; nothing if it cannot be read.
std::optional<ErasedEvent> DecodeTombstone(const Frame& erased);

}  // namespace turnlog
