// A store of events: turnlog, or a peer to compare it with. Every row of a table makes the same calls with the same
// events on each engine. Any failure ends the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/events.h"
#include "turnlog/log.h"

namespace turnlog {

// What a read returned. Rows compare the number of events with the expected one.
struct Seen {
  std::uint64_t events = 0;
  std::uint64_t check = 0;  // of the data read, so that the read is not optimized away
};

enum class Depth : std::uint8_t {
  kRecord,  // bytes, verified by a checksum
  kFields,  // and the kind and time of each event extracted
};

class Engine {
 public:
  virtual ~Engine() = default;

  // As Log::AppendLater: appends all of a batch or nothing; returns a ticket for Wait.
  virtual std::uint64_t AppendLater(const Batch& batch) = 0;
  virtual void Wait(std::uint64_t ticket, Durability durability) = 0;
  // Makes everything durable and indexed for reads.
  virtual void Settle() = 0;

  // The default, for reads that the engine could only do by reading everything, returns nothing.
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
  // Opens or creates the store in the folder. `durability`: that of the following appends, for engines that need it on
  // open.
  std::unique_ptr<Engine> (*open)(const std::filesystem::path& folder, Durability durability);
};

// kTurnlogFast, kTurnlogSmall: with compression. kServed: through a service, by one client for all writers;
// kServedApart: by a client for each, as separate processes.
extern const EngineKind kTurnlog, kTurnlogFast, kTurnlogSmall, kServed, kServedApart, kPreallocatedFile, kRawFile,
    kJsonLines, kRocks, kLevelDb, kLmdb, kSqlite;

// --- For engines ---

[[noreturn]] void Fail(std::string_view what);

template <class T>
T Must(Result<T> result) {
  if (!result) Fail(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace turnlog
