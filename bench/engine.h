// A way of keeping events: turnlog, or a peer that it is measured against. Every row of a table makes the same calls
// with the same events on each engine. What fails ends the program: a benchmark has nobody to report to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/events.h"
#include "turnlog/log.h"

namespace turnlog {

// What a read came upon. Rows compare the number of events with what they know to be there.
struct Seen {
  std::uint64_t events = 0;
  std::uint64_t check = 0;  // of what was read, so that reading cannot be left out
};

enum class Depth : std::uint8_t {
  kRecord,  // bytes, verified by a checksum
  kFields,  // and kind and time of each event taken out of them
};

class Engine {
 public:
  virtual ~Engine() = default;

  // As Log::AppendLater: all of a batch, or nothing; returns what to wait for.
  virtual std::uint64_t AppendLater(const Batch& batch) = 0;
  virtual void Wait(std::uint64_t ticket, Durability durability) = 0;
  // Everything durable, and where reads will want it.
  virtual void Settle() = 0;

  // Reads that the engine has no way to do without reading everything see nothing.
  virtual Seen ReadAll(Depth) { return {}; }
  virtual Seen ReadConversation(std::uint32_t) { return {}; }
  virtual Seen ReadOne(std::uint32_t, std::uint64_t) { return {}; }
  virtual Seen ReadLast(std::uint32_t, std::uint64_t) { return {}; }
  virtual Seen ReadLastTurn(std::uint32_t) { return {}; }
  // The request of an inquiry, by its id.
  virtual Seen ReadInquiry(std::uint32_t, std::string_view) { return {}; }
};

struct EngineKind {
  std::string_view name;
  // Opens what is in the folder, or makes it. `durability`: what its appends will be waited for, for those that have to
  // know beforehand.
  std::unique_ptr<Engine> (*open)(const std::filesystem::path& folder, Durability durability);
};

extern const EngineKind kTurnlog, kRawFile, kJsonLines, kRocks, kSqlite;

// --- For engines ---

[[noreturn]] void Fail(std::string_view what);

template <class T>
T Must(Result<T> result) {
  if (!result) Fail(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace turnlog
