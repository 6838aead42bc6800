#include "migrate/jsonl/reader.h"

#include <utility>

#include "base/try.h"
#include "migrate/import/import_run.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {

JsonlReader::JsonlReader(SourceFile& file, const LinesStart& start)
    : file_(file),
      own_conversation_(std::filesystem::path(file.name()).stem().string()),
      earlier_(start.earlier),
      lines_(file, start.offset, start.line),
      taken_(start.offset) {}

Result<SourceItem> JsonlReader::Next() {
  while (TURNLOG_TRY(lines_.Next())) {
    if (lines_.too_long()) return Fault(std::nullopt, "longer than any event");
    const std::string_view line = lines_.line();
    if (SkipJsonSpace(line, 0) < line.size()) return ReadLine(line);
  }
  // What follows must begin a line.
  if (!std::exchange(ended_, true) && lines_.has_break()) {
    SourceResumePoint point{.conversation = {}, .file = &file_, .part_files = {}};
    point.offset = lines_.end();
    point.line = lines_.number();
    return point;
  }
  return EndOfSource{Taken()};
}

// The bytes since the last item.
std::uint64_t JsonlReader::Taken() { return lines_.end() - std::exchange(taken_, lines_.end()); }

Result<SourceItem> JsonlReader::ReadLine(std::string_view line) {
  auto event = parser_.Parse(line);
  if (!event) return Unreadable(line, event.error().message);
  return Accept(line, *std::move(event));
}

Result<SourceItem> JsonlReader::Accept(std::string_view line, EventView&& event) {
  const auto& envelope = parser_.envelope();
  // A verbatim event may have a field of this name without an envelope.
  if (!envelope.conversation) conversation_ = ConversationOf(line);
  const std::string_view conversation = envelope.conversation.value_or(conversation_);
  const Hash128 key = HashId(conversation, 0);
  const auto [next, first] = next_seqs_.TryEmplace(key, 1);
  if (envelope.seq && first) next = *envelope.seq;
  if (earlier_ != nullptr) TURNLOG_TRY(CheckEarlier(conversation, event, first, next));
  if (envelope.seq.value_or(next) != next || next == 0) {
    return Fault(std::string(conversation), "seq: not the successor of the previous line's");
  }
  const Seq seq{next++};
  if (event.event_id && event_ids_.Insert(HashId(*event.event_id, key.low).low)) {
    return Fault(std::string(conversation), "event_id: repeats that of an earlier line");
  }
  SourceEvent item{.conversation = conversation,
                   .seq = {},
                   .event = std::move(event),
                   .location = Location(),
                   .problem = {},
                   .note = {}};
  item.size = Taken();
  if (envelope.seq || earlier_ != nullptr) item.seq = seq;
  return item;
}

// The first of a conversation's further lines must have the next seq, or none.
Status JsonlReader::CheckEarlier(std::string_view conversation, const EventView& event, bool first,
                                 std::uint64_t& next) {
  bool fits = earlier_->IsIndependent(conversation, event);
  if (first && fits) {
    const auto expected = earlier_->NextSeq(conversation);
    fits = expected && (!parser_.envelope().seq || next == expected->value);
    if (fits) next = expected->value;
  }
  if (fits) return {};
  return std::unexpected(Error{ErrorCode::kConflict, "must be read from its beginning"});
}

// The conversation of an invalid line is not imported; if it is unknown, no conversation of the file is.
SourceFault JsonlReader::Unreadable(std::string_view line, std::string_view message) {
  const LocatedMessage located = SplitLocation(message);
  if (FindJsonFault(line)) return Fault(std::nullopt, located.text, located.byte);
  return Fault(ConversationOf(line), located.text, located.byte);
}

std::string JsonlReader::ConversationOf(std::string_view line) const {
  return FindJsonString(line.substr(SkipJsonSpace(line, 0)), "conversation").value_or(own_conversation_);
}

SourceFault JsonlReader::Fault(std::optional<std::string> conversation, std::string_view reason, std::size_t byte) {
  Taken();
  SourceLocation location = Location();
  location.byte = lines_.offset() + byte;
  return {std::move(conversation), At(location, {ImportProblemCode::kMalformed, std::string(reason)})};
}

SourceLocation JsonlReader::Location() const { return {file_.path().native(), {}, lines_.number(), {}}; }

}  // namespace turnlog
