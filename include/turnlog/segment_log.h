// The engine in a folder: segment files hold all data, an index is derived from them. See docs/on_disk_format.md.
//
// One process at a time has the folder open for writing (kBusy names it); any number of readers work beside it. A
// cursor of ReadRaw may outlive a Close, but until it is destroyed no process can open the store for writing (kIo).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

// One sync of the log's files, which made everything written before it durable.
struct SyncReport {
  std::chrono::nanoseconds took{0};
  std::uint64_t appends = 0;  // that it made durable
  std::uint64_t bytes = 0;    // of the log, likewise
};

// How a store keeps the payloads of new events. Each is compressed alone, so that each can be erased alone, and only if
// that makes it smaller. What has been written stays as it is: a store may hold all of these.
enum class Compression : std::uint8_t {
  kNone,
  kFast,   // LZ4: about half the size
  kSmall,  // Zstandard: smaller, at several times the processor time
};

struct SegmentOptions {
  OpenMode mode = OpenMode::kCreate;
  std::string holder;                                        // names this program in the kBusy error of other writers
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;     // segment files grow up to this size
  std::uint64_t checkpoint_bytes = std::uint64_t{64} << 20;  // approximate limit of the replay after a crash
  // Of this writer. Empty: as the store is set (SetCompression). A store that is created keeps it as its setting.
  std::optional<Compression> compression = {};
  // Called after each sync that has succeeded, on the thread that did it: must be quick, and not use the log.
  std::function<void(const SyncReport&)> on_sync = {};
};

// How all later writers store new events, and this one from now on; on disk when it returns. `log` is open for writing.
// kUnsupported: it is of another engine, or used through a service (SetCompressionThroughService).
Status SetCompression(Log& log, Compression compression);
// "none", "fast", "small"
std::string_view ToString(Compression compression);
std::optional<Compression> ParseCompression(std::string_view text);

// With kRead the store may be on a read-only file system; its index is not touched.
Result<std::unique_ptr<Log>> OpenSegmentLog(const std::filesystem::path& folder, const SegmentOptions& options = {});

}  // namespace turnlog
