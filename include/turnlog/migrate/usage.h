// The tokens that imported conversations have cost, as their sources say it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct TokenUsage {
  std::uint64_t input = 0;        // read by the model and not from a cache
  std::uint64_t cache_write = 0;  // of the input, written to a cache
  std::uint64_t cache_read = 0;   // read from a cache
  std::uint64_t output = 0;       // written by the model, with its reasoning
  std::uint64_t reasoning = 0;    // of the output

  std::uint64_t total() const { return input + cache_write + cache_read + output; }
  TokenUsage& operator+=(const TokenUsage& other);
  bool operator==(const TokenUsage&) const = default;
};

enum class UsageBy : std::uint8_t { kDay, kModel, kConversation };

struct UsageRow {
  std::string name;  // a day in UTC (2026-08-01), a model, or a conversation; empty: unknown
  std::uint64_t messages = 0;
  TokenUsage tokens;
};

struct UsageReport {
  std::vector<UsageRow> rows;  // in order of their names
  UsageRow sum;
  // The numbers of conversations that do not say what they have cost, by their formats; empty: not imported.
  std::map<std::string, std::uint64_t> uncounted;
  std::vector<Damage> damage;  // left out: events, or all of a conversation if the damage is in the record of an import
};

// Counts each message once, however many records and sessions repeat it: the last record of the conversation that has
// it first. Cost: all events of the conversations;
// memory: about 150 bytes for each message.
Result<UsageReport> CountUsage(Log& log, UsageBy by, std::span<const ConversationId> conversations);

}  // namespace turnlog
