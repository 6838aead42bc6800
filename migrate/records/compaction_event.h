// The compactions of other agents.
#pragma once

#include <cstdint>
#include <string_view>

#include "migrate/records/record_events.h"

namespace turnlog {

// Adds a compaction of turns (indexes from 0, both included). `summary`: a JSON string; `bytes`: where the record has
// exactly this string, may be empty. `metadata`: an object, may be empty.
void AddCompaction(std::uint64_t from, std::uint64_t to, std::string_view summary, std::string_view bytes,
                   RecordEvents& events, const Json& metadata = {});

}  // namespace turnlog
