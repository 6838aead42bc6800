// Writes the events of a RecordSource as the bytes that they were read from.
#pragma once

#include <string>

#include "migrate/records/record_template.h"
#include "turnlog/event.h"

namespace turnlog {

class RecordWriter {
 public:
  // The events of one file, in their order. An event that no original bytes belong to adds nothing.
  void Add(const EventView& event, std::string& out);

 private:
  std::string template_;
  TemplateFiller filler_;
};

}  // namespace turnlog
