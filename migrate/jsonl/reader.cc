#include "migrate/jsonl/reader.h"

#include <utility>

#include "base/try.h"
#include "migrate/import/import_run.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {

JsonlReader::JsonlReader(SourceFile& file)
    : path_(file.path().string()),
      own_conversation_(std::filesystem::path(file.name()).stem().string()),
      lines_(file) {}

Result<SourceItem> JsonlReader::Next() {
  while (TURNLOG_TRY(lines_.Next())) {
    if (lines_.too_long()) return Fault(std::nullopt, "longer than any event");
    const std::string_view line = lines_.line();
    if (SkipJsonSpace(line, 0) < line.size()) return ReadLine(line);
  }
  return EndOfSource();
}

SourceItem JsonlReader::ReadLine(std::string_view line) {
  const auto event = parser_.Parse(line);
  if (!event) return Unreadable(line, event.error().message);
  return Accept(line, *event);
}

SourceItem JsonlReader::Accept(std::string_view line, const EventView& event) {
  const auto& envelope = parser_.envelope();
  // A verbatim event may have the field without being enveloped.
  if (!envelope.conversation) conversation_ = ConversationOf(line);
  const std::string_view conversation = envelope.conversation.value_or(conversation_);
  const Hash128 key = HashId(conversation, 0);
  const auto [next, first] = next_seqs_.try_emplace(key, 1);
  if (envelope.seq && first) next->second = *envelope.seq;
  if (envelope.seq.value_or(next->second) != next->second || next->second == 0) {
    return Fault(std::string(conversation), "seq: does not follow the line before");
  }
  ++next->second;
  if (event.event_id && !event_ids_.insert(HashId(*event.event_id, key.low)).second) {
    return Fault(std::string(conversation), "event_id: an earlier line has it");
  }
  SourceEvent item{
      .conversation = conversation, .seq = {}, .event = event, .place = Place(), .problem = {}, .note = {}};
  if (envelope.seq) item.seq = Seq{*envelope.seq};
  return item;
}

// The conversation of a line that is no event is not imported; if it cannot be told, none of the file's is.
SourceFault JsonlReader::Unreadable(std::string_view line, std::string_view message) {
  const PlacedMessage placed = TakePlace(message);
  if (FindJsonFault(line)) return Fault(std::nullopt, placed.text, placed.byte);
  return Fault(ConversationOf(line), placed.text, placed.byte);
}

std::string JsonlReader::ConversationOf(std::string_view line) const {
  return FindJsonString(line.substr(SkipJsonSpace(line, 0)), "conversation").value_or(own_conversation_);
}

SourceFault JsonlReader::Fault(std::optional<std::string> conversation, std::string_view reason, std::size_t byte) {
  SourcePlace place = Place();
  place.byte = lines_.offset() + byte;
  return {std::move(conversation), At(place, std::string(reason))};
}

SourcePlace JsonlReader::Place() const { return {path_, {}, lines_.number(), {}}; }

}  // namespace turnlog
