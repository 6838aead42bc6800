#include "migrate/jp/history_writer.h"

#include "migrate/jp/array.h"
#include "migrate/jp/element.h"

namespace turnlog {

void JpHistoryWriter::AddConfig(std::string_view packed_config) {
  out_ += packed_config;
  first_ = false;
}

void JpHistoryWriter::Add(const EventView& event) {
  AppendJpElementWithLead(event, first_, out_);
  first_ = false;
}

void JpHistoryWriter::Finish(std::string_view trailer) {
  const bool fits = !trailer.empty() && trailer.contains('[') == first_;
  out_ += fits ? trailer : CanonicalTrailer(first_);
}

}  // namespace turnlog
