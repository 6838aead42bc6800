// Writes events as the text of a jp events.json: the original bytes of what was imported from jp, other events as jp
// would write them.
#pragma once

#include <string>
#include <string_view>

#include "migrate/logged/quarantine.h"
#include "migrate/records/record_template.h"
#include "turnlog/event.h"

namespace turnlog {

// Writes an events.json sequentially.
class JpHistoryWriter {
 public:
  explicit JpHistoryWriter(std::string& out) : out_(out) {}

  void AddConfig(std::string_view packed_config);  // before anything else
  // `follows`: no imported event is missing between the previous one and this one.
  void Add(const EventView& event, bool follows = true);
  void Finish(std::string_view trailer);  // empty: the canonical one
  void FinishTorn(std::string_view rest);

 private:
  void AddQuarantined(const Quarantined& piece);
  void AddSource(const EventView& event);
  void AddToRecord(const EventView& event);
  void AddCanonical(const EventView& event, std::string& out);
  void EndRecord();
  bool Fits(std::string_view lead) const;

  std::string& out_;
  bool first_ = true;
  bool after_damage_ = false;       // any bytes may follow
  bool after_quarantined_ = false;  // of an element
  // A record whose events have not all come: its original bytes, and what is written if one is missing.
  std::string template_;
  TemplateFiller filler_;
  std::string original_, canonical_;
};

}  // namespace turnlog
