// Finding text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "base/try.h"
#include "schema/json/json_writer.h"
#include "service/handlers.h"
#include "turnlog/search.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kFound = 100, kMostFound = 1000;
constexpr std::size_t kLines = 3;                   // of one event
constexpr std::size_t kBefore = 80, kLength = 400;  // bytes of a line: before its first match, and in all

bool IsInside(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// The part of a line around its first match, with the positions of the matches in it.
void WriteLine(const FoundLine& line, JsonWriter& json) {
  const std::string_view text = line.text;
  std::size_t begin = line.matches.empty() ? 0 : line.matches.front().begin;
  begin -= std::min(begin, kBefore);
  while (IsInside(text, begin)) ++begin;
  std::size_t end = std::min(begin + kLength, text.size());
  while (IsInside(text, end)) ++end;
  json.StartObject();
  json.Field("field", line.field);
  json.Key("parts");  // alternately text and match
  json.StartArray();
  for (const MatchSpan& match : line.matches) {
    if (match.end > end) break;
    json.String(text.substr(begin, match.begin - begin));
    json.String(text.substr(match.begin, match.end - match.begin));
    begin = match.end;
  }
  json.String(text.substr(begin, end - begin));
  json.EndArray();
  json.EndObject();
}

void WriteFound(const FoundEvent& event, JsonWriter& json) {
  json.StartObject();
  json.Field("conversation", event.conversation);
  if (event.seq.value > 0) json.Key("seq"), json.Unsigned(event.seq.value);
  json.Key("turn"), json.Unsigned(event.turn.value);
  if (event.time) json.Field("timestamp", event.time->ToRfc3339());
  json.Field("kind", ToString(event.kind));
  if (!event.tool.empty()) json.Field("tool", event.tool);
  json.Key("lines");
  json.StartArray();
  for (std::size_t i = 0; i < std::min(event.lines.size(), kLines); ++i) WriteLine(event.lines[i], json);
  json.EndArray();
  json.EndObject();
}

class SearchPermit {
 public:
  explicit SearchPermit(std::counting_semaphore<>& searches) : searches_(searches), held_(searches.try_acquire()) {}
  SearchPermit(const SearchPermit&) = delete;
  SearchPermit& operator=(const SearchPermit&) = delete;
  ~SearchPermit() {
    if (held_) searches_.release();
  }
  bool held() const { return held_; }

 private:
  std::counting_semaphore<>& searches_;
  const bool held_;
};

}  // namespace

Handled SearchEvents(ServiceState& state, Call& call) {
  SearchPattern pattern{.text = call.query.Take("text").value_or("")};
  pattern.regex = TURNLOG_TRY(call.query.Flag("regex"));
  pattern.ignore_case = TURNLOG_TRY(call.query.Flag("ignore_case"));
  SearchOptions options{.limit = std::min(TURNLOG_TRY(call.query.Number("limit")).value_or(kFound), kMostFound),
                        .jobs = std::max(1U, std::thread::hardware_concurrency() / 2)};
  if (auto conversation = call.query.Take("conversation")) options.conversations.push_back(*std::move(conversation));
  options.tool = call.query.Take("tool");
  TURNLOG_TRY(call.query.Finish());
  if (pattern.text.empty()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "text is missing"});
  const SearchPermit permit(state.searches);
  if (!permit.held()) return ProblemResponse(503, "other searches are running: try again");
  std::string text;
  JsonWriter json(text);
  std::uint64_t damaged = 0;
  json.StartObject();
  json.Key("events");
  json.StartArray();
  const SearchTotals totals =
      TURNLOG_TRY(SearchStore(state.log, pattern, options, [&](std::variant<FoundEvent, Damage>&& found) {
        if (const auto* event = std::get_if<FoundEvent>(&found)) {
          WriteFound(*event, json);
        } else {
          ++damaged;
        }
        return true;
      }));
  json.EndArray();
  json.Key("searched_events"), json.Unsigned(totals.events);
  json.Key("damaged"), json.Unsigned(damaged);
  json.Key("more"), json.Bool(totals.matches >= options.limit);
  json.EndObject();
  return JsonResponse(std::move(text));
}

}  // namespace turnlog
