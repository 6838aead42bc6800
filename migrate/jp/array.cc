#include "migrate/jp/array.h"

#include "turnlog/event.h"

namespace turnlog {

std::string_view CanonicalLead(bool first) { return first ? "[\n  " : ",\n  "; }

std::string_view CanonicalTrailer(bool empty) { return empty ? "[]\n" : "\n]\n"; }

bool IsJpElement(const JsonObject& object) {
  const bool dated = IsJsonString(object["timestamp"]);
  if (const auto type = object.String("type")) return dated || KindFromName(*type) != EventKind::kUnknown;
  return dated && !object["message"].empty() && !object["reply"].empty();
}

}  // namespace turnlog
