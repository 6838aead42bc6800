// Which events of deterministic conversations (deterministic_workload.h) are erased or redacted, and whether they are
// gone for good.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "store/engine/environment.h"
#include "turnlog/log.h"

namespace turnlog {

// Conversation and seq.
using EventKey = std::pair<std::uint32_t, std::uint64_t>;
using EventKeys = std::set<EventKey>;

// Whether the kind of the event can be erased, or redacted by Redact.
bool MayBeErased(const EventKey& key);
bool MayBeRedacted(const EventKey& key);

// Redacts these events, in any order and with duplicates.
Status Redact(Log& log, std::uint32_t conversation, std::span<const Seq> seqs, const RedactOptions& options = {});

// Fails the test unless every event of the log is the deterministic one, or erased with the same kind, or redacted as
// by Redact, or a `redaction`. Returns those that are erased or redacted.
EventKeys ErasedEvents(Log& log);

// Reports a test failure if a file of the log still holds contents of these events.
void ExpectGone(const std::filesystem::path& store, const EventKeys& keys);

// Opens the store after its writer has ended in any way, for reading and then for writing, and fails the test unless
// `erased` is gone, `pending` is gone completely or not at all, and everything else is intact. Adds `pending` to
// `erased` if it is gone. Leaves the store closed and verified.
void ExpectErased(const std::filesystem::path& store, EventKeys& erased, const EventKeys& pending,
                  const Environment& environment = {});

}  // namespace turnlog
