#include "migrate/records/record_writer.h"

#include "migrate/import/quarantine.h"

namespace turnlog {

void RecordWriter::Add(const EventView& event, std::string& out) {
  if (const auto quarantined = ReadQuarantined(event)) {
    filler_.Begin({});
    out += quarantined->raw;
    return;
  }
  if (event.source_text) {
    template_ = *event.source_text;
    filler_.Begin(template_);
  }
  if (filler_.wants_event()) filler_.Add(event, out);
}

}  // namespace turnlog
