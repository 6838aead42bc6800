#include "base/compact_json.h"

namespace turnlog {

std::string CompactJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_string = false, escaped = false;
  for (const char c : json) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (in_string || !space) out.push_back(c);
    if (c == '"' && !escaped) in_string = !in_string;
    escaped = in_string && c == '\\' && !escaped;
  }
  return out;
}

}  // namespace turnlog
