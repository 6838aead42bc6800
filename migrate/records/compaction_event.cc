#include "migrate/records/compaction_event.h"

#include <fmt/format.h>

#include <string>

namespace turnlog {

void AddCompaction(std::uint64_t from, std::uint64_t to, std::string_view summary, std::string_view bytes,
                   RecordEvents& events, const Json& metadata) {
  std::string json = R"({"type":"compaction",)";
  if (events.head().time) json += fmt::format(R"("timestamp":"{}",)", events.head().time->ToRfc3339());
  json += fmt::format(R"("from_turn":{},"to_turn":{},"summary":{{"summary":{}}})", from, to, summary);
  if (!metadata.empty()) json += fmt::format(R"(,"metadata":{})", metadata.text());
  json += '}';
  events.Add(Verbatim{EventKind::kCompaction, "compaction", Json::FromTrusted(std::move(json))});
  events.Reproduces(Slot::kSummary, bytes);
}

}  // namespace turnlog
