#include "migrate/jp/history_writer.h"

#include "migrate/jp/array.h"
#include "migrate/jp/element.h"
#include "migrate/jp/writer.h"
#include "migrate/records/json_array.h"

namespace turnlog {
void JpHistoryWriter::AddConfig(std::string_view packed_config) {
  out_ += packed_config;
  first_ = false;
}

void JpHistoryWriter::Add(const EventView& event, bool follows) {
  const auto quarantined = ReadQuarantined(event);
  if (filler_.wants_event()) {
    if (follows && !event.source_text && !quarantined) return AddToRecord(event);
    EndRecord();
  }
  if (event.source_text == kWrittenBefore && after_quarantined_ && follows) return;
  if (quarantined) {
    AddQuarantined(*quarantined);
  } else if (event.source_text && event.source_text != kWrittenBefore) {
    AddSource(event);
  } else {
    AddCanonical(event, out_);
  }
  first_ = false;
  after_quarantined_ = quarantined.has_value();
  after_damage_ = quarantined && quarantined->bare;
}

void JpHistoryWriter::AddQuarantined(const Quarantined& piece) {
  const bool fits = !piece.lead.empty() && Fits(piece.lead);
  if (!piece.bare) out_ += fits ? std::string_view(piece.lead) : CanonicalLead(first_);
  out_ += piece.raw;
}

void JpHistoryWriter::AddSource(const EventView& event) {
  template_ = *event.source_text;
  const std::size_t length = LeadLength(template_);
  const std::string_view lead = std::string_view(template_).substr(0, length);
  const std::string_view written = Fits(lead) ? lead : CanonicalLead(first_);
  filler_.Begin(std::string_view(template_).substr(length));
  filler_.Add(event, original_ += written);
  if (filler_.wants_event()) return AddCanonical(event, canonical_);
  out_ += original_;
  original_.clear();
}

void JpHistoryWriter::AddToRecord(const EventView& event) {
  filler_.Add(event, original_);
  if (filler_.wants_event()) return AddCanonical(event, canonical_);
  out_ += original_;
  original_.clear();
  canonical_.clear();
}

void JpHistoryWriter::AddCanonical(const EventView& event, std::string& out) {
  out += CanonicalLead(first_);
  AppendJpElement(event, out);
}

// One of its events is missing: the others are written as jp would write them today.
void JpHistoryWriter::EndRecord() {
  filler_.Begin({});
  out_ += canonical_;
  original_.clear();
  canonical_.clear();
}

bool JpHistoryWriter::Fits(std::string_view lead) const {
  return after_damage_ || lead.find(first_ ? '[' : ',') != std::string_view::npos;
}

void JpHistoryWriter::Finish(std::string_view trailer) {
  if (filler_.wants_event()) EndRecord();
  const bool fits = !trailer.empty() && trailer.contains('[') == first_;
  out_ += fits ? trailer : CanonicalTrailer(first_);
}

void JpHistoryWriter::FinishTorn(std::string_view rest) {
  if (filler_.wants_event()) EndRecord();
  out_ += rest;
}

}  // namespace turnlog
