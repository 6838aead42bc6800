// One event or more of every kind, between them with every field there and every field absent.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

struct SampleEvent {
  std::string name;
  Event event;
};

inline void PrintTo(const SampleEvent& sample, std::ostream* out) { *out << sample.name; }

std::vector<SampleEvent> SampleEvents();

// JSON text that is known to be valid.
inline Json J(std::string_view text) { return Json::FromTrusted(std::string(text)); }

}  // namespace turnlog
