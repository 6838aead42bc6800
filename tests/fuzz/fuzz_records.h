// What must hold for any bytes as a file of a format whose records are lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "migrate/format.h"
#include "migrate/records/record_source.h"
#include "migrate/records/record_writer.h"
#include "tests/fuzz/fuzz_source.h"

namespace turnlog {

// Every event is valid, reading again gives the same, and the events are written as the bytes they were read from. What
// may be the beginning of a first record is no conversation yet.
inline void FuzzRecords(const Format& format, const std::string& file, const std::string& text) {
  Source source = MemorySource(file, {{file, text}});
  const auto first = format.import.read(source);
  const auto second = format.import.read(source);
  const std::vector<std::string> items = ReadItems(*first, text.size());
  Require(ReadItems(*second, text.size()) == items);
  std::string written;
  std::uint64_t taken = 0;
  bool waits = false;
  RecordWriter writer;
  const auto third = format.import.read(source);
  for (;;) {
    const SourceItem item = third->Next().value();
    if (std::holds_alternative<EndOfSource>(item)) break;
    if (const auto* event = std::get_if<SourceEvent>(&item)) {
      writer.Add(event->event.View(), written);
      taken += event->size;
    }
    const auto* note = std::get_if<SourceNote>(&item);
    waits |= note != nullptr && note->note.code == ImportProblemCode::kIncomplete;
    const auto* part = std::get_if<SourcePart>(&item);
    if (part == nullptr || (part->name != kHeaderPart && part->name != kTrailerPart)) continue;
    written += part->bytes;
    taken += part->bytes.size();
  }
  if (written.empty() && waits) {
    const std::string rest = text.substr(std::min(text.find('{'), text.size()));
    return Require(!rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1).contains('\n'));
  }
  Require(written == text);
  Require(taken == text.size());
}

}  // namespace turnlog
