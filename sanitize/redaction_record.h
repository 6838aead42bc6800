// The `redaction` event: which events were redacted and why, and nothing of what stood there.
// docs/formats/redaction.md has its JSON form.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

struct RedactionRecord {
  Timestamp time;
  std::string_view by;
  std::map<std::string, std::set<Seq>> rules;  // what each of them changed
};

Event ToEvent(const RedactionRecord& record);

}  // namespace turnlog
