// Which events of foretold conversations (deterministic_workload.h) are destroyed, erased or redacted, and whether they
// are gone for good.
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

// Whether it is a kind of event that can be erased, or that we know how to redact.
bool MayBeErased(const EventKey& key);
bool MayBeRedacted(const EventKey& key);

// Redacts these events, in whatever order they are named, and how often.
Status Redact(Log& log, std::uint32_t conversation, std::span<const Seq> seqs, const RedactOptions& options = {});

// Reports a test failure unless every event of the log is what it must be, or erased and of the kind that it was, or
// what Redact makes of it, or tells of a redaction. Returns those that are erased or redacted.
EventKeys ErasedEvents(Log& log);

// Reports a test failure if a file of the log still holds contents of these events.
void ExpectGone(const std::filesystem::path& store, const EventKeys& keys);

// Opens the store after its writer came to some end, for reading and then for writing, and reports a test failure
// unless `erased` is destroyed and gone, `pending` is so as a whole or not at all, and everything else is there. Adds
// `pending` to `erased` accordingly. Leaves the store closed and verified.
void ExpectErased(const std::filesystem::path& store, EventKeys& erased, const EventKeys& pending,
                  const Environment& environment = {});

}  // namespace turnlog
