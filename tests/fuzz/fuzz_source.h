// Sources for the fuzz targets of the readers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "migrate/sources/source.h"
#include "migrate/sources/source_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/memory_bytes.h"
#include "turnlog/event_json.h"

namespace turnlog {

inline Source MemorySource(const std::string& name, const std::vector<std::pair<std::string, std::string>>& files) {
  Source source{name, name, {}, {}};
  for (const auto& [file, bytes] : files) source.files.emplace_back(file, std::make_shared<MemoryBytes>(bytes));
  return source;
}

// Every item as text. Requires that events are valid and that places lie within the `size` bytes of the source.
inline std::vector<std::string> ReadItems(SourceReader& reader, std::size_t size) {
  std::vector<std::string> items;
  for (;;) {
    const auto item = reader.Next();
    Require(item.has_value());
    if (std::holds_alternative<EndOfSource>(*item)) return items;
    if (const auto* event = std::get_if<SourceEvent>(&*item)) {
      const EventView view = event->event.View();
      Require(Validate(view).has_value());
      Require(event->location.byte.value_or(0) <= size);
      const SourceRemarks none;
      const SourceRemarks& remarks = event->remarks != nullptr ? *event->remarks : none;
      const ImportReason said{remarks.note.code, remarks.problem + remarks.note.text};
      items.push_back(ToJson(view) + ToString(At(event->location, said)));
    } else if (const auto* part = std::get_if<SourcePart>(&*item)) {
      items.push_back(part->name + part->bytes);
    } else if (const auto* fault = std::get_if<SourceFault>(&*item)) {
      Require(fault->problem.byte.value_or(0) <= size);
      items.push_back(ToString(fault->problem));
    } else if (const auto* note = std::get_if<SourceNote>(&*item)) {
      Require(note->note.byte.value_or(0) <= size);
      items.push_back(ToString(note->note));
    }
  }
}

}  // namespace turnlog
