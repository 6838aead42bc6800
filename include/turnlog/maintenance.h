// Maintenance of a whole store in a folder. The functions take a path, because they also work on stores that cannot be
// opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/log.h"
#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

struct VerifyReport {
  std::string store_id;
  std::uint64_t segments = 0, bytes = 0, records = 0, events = 0, conversations = 0;
  std::uint64_t erased = 0, redacted = 0;  // of the events
  std::uint64_t damage_count = 0;
  std::vector<Damage> damage;  // the first 1,000
  std::uint64_t index_entries = 0, index_difference_count = 0;
  std::vector<std::string> index_differences;  // the first 1,000, one line each
  // After the last intact record: torn by a crash or damaged since, which cannot be distinguished, because no claim
  // confirms that it was synced. The next writer truncates it.
  std::uint64_t unfinished_bytes = 0;
  // Size of the intact records after the last durable claim. Damage among these bytes could not be distinguished
  // from records that were never acknowledged. 0 after a writer has been idle for a moment or has closed the
  // store.
  std::uint64_t unclaimed_bytes = 0;
  std::vector<std::string> notes;  // remarks that are neither damage nor a difference

  bool clean() const { return damage_count == 0 && index_difference_count == 0; }
};

// Reads every record of every segment, checks that each conversation is complete, and compares the index with one
// rebuilt from the segments. Writes nothing but a temporary index. Works beside a writer.
Result<VerifyReport> VerifyStore(const std::filesystem::path& path, const Progress& progress = {});

// Rebuilds the index from the segments. Locks the store for writing. Watermarks, which do not follow from the segments,
// are kept if the old index can be read.
Status ReindexStore(const std::filesystem::path& path, const Progress& progress = {});

struct ReindexOptions {
  Progress progress = {};
  std::function<bool()> stop = {};  // asked often; once it says true, the old index stays
};

// The same for a log in a folder that this process has open for writing, while other threads use it: cursors and tails
// stay valid, and appends wait only for the moment in which the rebuilt index takes the old one's place. False:
// stopped. After an error the old index is in use. kUnsupported: `log` is of another engine.
Result<bool> ReindexLog(Log& log, const ReindexOptions& options = {});

}  // namespace turnlog
