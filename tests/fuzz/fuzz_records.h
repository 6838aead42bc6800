// What must hold for any bytes as a file of a format whose records are lines.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "migrate/format.h"
#include "migrate/records/record_source.h"
#include "migrate/records/record_writer.h"
#include "tests/fuzz/fuzz_source.h"

namespace turnlog {

// Every event is valid, reading again gives the same, and the events are written as the bytes they were read from.
inline void FuzzRecords(const Format& format, const std::string& file, const std::string& text) {
  Source source = MemorySource(file, {{file, text}});
  const auto first = format.import.read(source);
  const auto second = format.import.read(source);
  const std::vector<std::string> items = ReadItems(*first, text.size());
  Require(ReadItems(*second, text.size()) == items);
  std::string written;
  std::uint64_t taken = 0;
  RecordWriter writer;
  const auto third = format.import.read(source);
  for (;;) {
    const SourceItem item = third->Next().value();
    if (std::holds_alternative<EndOfSource>(item)) break;
    if (const auto* event = std::get_if<SourceEvent>(&item)) {
      writer.Add(event->event.View(), written);
      taken += event->size;
    }
    const auto* part = std::get_if<SourcePart>(&item);
    if (part == nullptr || (part->name != kHeaderPart && part->name != kTrailerPart)) continue;
    written += part->bytes;
    taken += part->bytes.size();
  }
  Require(written == text);
  Require(taken == text.size());
}

}  // namespace turnlog
