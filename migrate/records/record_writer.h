// Writes the events of a RecordSource as the bytes that they were read from.
#pragma once

#include <string>
#include <string_view>

#include "migrate/records/record_template.h"
#include "turnlog/event.h"

namespace turnlog {

class RecordWriter {
 public:
  // The events of one file, in their order. An event that no original bytes belong to adds nothing. A record whose last
  // event was added has none of the blocks whose seals are redacted. REQUIRES: `out` keeps a record that has begun.
  void Add(const EventView& event, std::string& out);
  // Whether the record has another event.
  bool in_record() const { return filler_.wants_event(); }

 private:
  void Begin(std::string_view source_text, std::size_t at);
  void RemoveBlocks(std::string& out);

  std::string template_;
  TemplateFiller filler_;
  std::size_t lead_ = 0, record_ = 0;  // where they begin in what is written
  bool without_first_ = false;         // the first record of the list was left out
};

// The bytes of a record without what is between records: line breaks, a byte order mark, the commas and brackets of a
// list.
std::string_view WithoutSeparators(std::string_view record);

}  // namespace turnlog
