#include "migrate/records/record_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "migrate/logged/quarantine.h"
#include "schema/json/json_blocks.h"

namespace turnlog {
namespace {

constexpr std::string_view kLead = " \t\r\n,[";

}  // namespace

void RecordWriter::Add(const EventView& event, std::string& out) {
  if (const auto quarantined = ReadQuarantined(event)) {
    filler_.Begin({});
    out += quarantined->raw;
    return;
  }
  if (event.source_text) Begin(*event.source_text, out.size());
  if (!filler_.wants_event()) return;
  filler_.Add(event, out);
  if (!filler_.wants_event() && !filler_.missing_seals().empty()) RemoveBlocks(out);
}

void RecordWriter::Begin(std::string_view source_text, std::size_t at) {
  template_ = source_text;
  // In a list, the first of the records that are written has no comma before it.
  const std::size_t comma = std::exchange(without_first_, false) ? template_.find(',') : std::string::npos;
  if (comma < template_.find_first_not_of(kLead)) template_.erase(comma, 1);
  lead_ = at;
  record_ = at + std::min(template_.find_first_not_of(kLead), template_.size());
  filler_.Begin(template_);
}

void RecordWriter::RemoveBlocks(std::string& out) {
  std::vector<std::size_t> seals = filler_.missing_seals();
  for (std::size_t& seal : seals) seal -= record_;
  const std::string record = WithoutBlocks(std::string_view(out).substr(record_), seals, OuterBlock::kRemove);
  if (!record.empty()) return void(out.replace(record_, std::string::npos, record));
  const std::string_view lead = std::string_view(out).substr(lead_, record_ - lead_);
  without_first_ = !lead.contains(',');
  out.resize(lead.contains('[') ? record_ : lead_);
}

std::string_view WithoutSeparators(std::string_view record) {
  constexpr std::string_view kSeparators = " \t\r\n,[]\xEF\xBB\xBF";
  record.remove_prefix(std::min(record.find_first_not_of(kSeparators), record.size()));
  return record.substr(0, record.find_last_not_of(kSeparators) + 1);
}

}  // namespace turnlog
