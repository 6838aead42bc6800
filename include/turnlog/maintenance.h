// Maintenance of a store in a folder as a whole: functions on a path, so that they work on stores that cannot be
// opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "turnlog/damage.h"
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
  // Behind the last intact record: cut short by a crash or damaged since, which nothing tells apart, because nothing
  // confirms that it had been synced. The next writer cuts it.
  std::uint64_t unfinished_bytes = 0;
  // Of the intact records, the last so many bytes are behind all that the store itself knows to have been synced. If
  // one of these were damaged, it could not be told from one that had never been acknowledged. 0 once a writer has been
  // idle for a moment or has closed the store.
  std::uint64_t unclaimed_bytes = 0;
  std::vector<std::string> notes;  // what is worth telling, and neither damage nor a difference

  bool clean() const { return damage_count == 0 && index_difference_count == 0; }
};

// Reads every record of every segment, checks that each conversation is complete, and compares the index with one
// made anew from the segments. Writes nothing but a temporary index. Works beside a writer.
Result<VerifyReport> VerifyStore(const std::filesystem::path& path, const Progress& progress = {});

// Makes the index anew from the segments. Needs the store for itself.
Status ReindexStore(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace turnlog
