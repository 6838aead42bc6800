// What is left of an erased event: as much as the index needs to know of it, so that an index that is made anew equals
// the one before, and where its redacted form stands, if it has one. Nothing of its content; ids only as the salted
// hashes that the index holds anyway.
#pragma once

#include <optional>
#include <string>

#include "store/conversation_fold.h"
#include "store/frame.h"

namespace turnlog {

struct ErasedEvent {
  EventFacts facts;      // of the event as it was appended
  FrameRef replacement;  // missing(): the event is gone
};

// Always shorter than the encoding of the event that the facts are of.
std::string EncodeFacts(const EventFacts& facts, const FrameRef& replacement = {});
// Of a kErased frame; nothing if it cannot be read.
std::optional<ErasedEvent> DecodeErased(const Frame& erased);

}  // namespace turnlog
