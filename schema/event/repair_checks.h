// What a `repair` or `redaction` must be, also of another writer: seqs within their limits, items with what their
// action needs.
#pragma once

#include <cstdint>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

// Seqs in these events end here: up to it, numbers are exact in every reader of JSON.
inline constexpr std::uint64_t kMaxStoredSeq = std::uint64_t{1} << 53;

// kInvalidArgument; the message names the field. Linear, and reads no texts.
Status CheckRepair(const RepairView& repair);
Status CheckRedaction(const RedactionRecordView& redaction);

// Whether a repair may insert events of this kind: those of a turn, and compactions.
bool MayBeInserted(EventKind kind);

}  // namespace turnlog
