#include "migrate/jsonl/reader.h"

#include <filesystem>
#include <utility>

#include "base/try.h"
#include "migrate/records/piece_reader.h"
#include "migrate/records/probe_records.h"
#include "migrate/records/salvage.h"
#include "migrate/sources/located_message.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// The conversation of lines that name none. Empty for the number of a pipe, which differs from run to run.
std::string NameOfLines(const SourceFile& file) {
  const std::filesystem::path folder = file.path().parent_path();
  const bool is_number = folder == "/dev/fd" || (folder.filename() == "fd" && folder.native().starts_with("/proc/"));
  return is_number ? std::string() : IdOfFile(file.name());
}

}  // namespace

JsonlReader::JsonlReader(SourceFile& file, const LinesStart& start, unsigned threads)
    : file_(file),
      own_conversation_(NameOfLines(file)),
      start_(start),
      blocks_(file, start, threads),
      taken_(start.offset) {}

Result<SourceItem> JsonlReader::Next() {
  for (;;) {
    if (const JsonLine* line = block_ != nullptr ? block_->Next() : nullptr) return ReadLine(*line);
    if (ended_) return EndOfSource{Taken(blocks_.end())};
    block_ = TURNLOG_TRY(blocks_.Next());
    if (block_ == nullptr) return End();
  }
}

// What follows must begin a line, or complete the last one.
Result<SourceItem> JsonlReader::End() {
  ended_ = true;
  SourceResumePoint point{.conversation = {}, .file = &file_, .part_files = {}};
  const bool nothing = blocks_.end() == start_.offset;
  const bool within_line = nothing ? start_.within_line : !blocks_.has_break();
  point.offset = torn_.value_or(blocks_.end());
  point.line = blocks_.next_number() - (within_line && !nothing ? 1 : 0);
  if (within_line && !torn_) point.reader.emplace();
  return point;
}

// The bytes since the last item.
std::uint64_t JsonlReader::Taken(std::uint64_t end) { return end - std::exchange(taken_, end); }

Result<SourceItem> JsonlReader::ReadLine(const JsonLine& line) {
  line_ = &line;
  if (start_.within_line && line.offset == start_.offset) return MustBeReadAsAWhole();
  if (line.too_long) return Fault(std::nullopt, "longer than any event");
  if (!line.event) return Unreadable(line.event.error().message);
  return Accept(*line.event);
}

Result<SourceItem> JsonlReader::Accept(const EncodedEvent& event) {
  const auto& envelope = line_->envelope;
  // A verbatim event may have a field of this name without an envelope.
  if (!envelope.conversation) conversation_ = ConversationOf(line_->text);
  const std::string_view conversation = envelope.conversation.value_or(conversation_);
  if (conversation.empty()) {
    return Fault(std::nullopt, envelope.conversation ? "conversation: an empty name"
                                                     : "no conversation, and the source has no name to use as one");
  }
  const auto [key, next, first] = next_seqs_.TryEmplace(conversation, 1);
  if (envelope.seq && first) next = *envelope.seq;
  if (start_.earlier != nullptr) TURNLOG_TRY(CheckEarlier(conversation, event.View(), first, next));
  if (envelope.seq.value_or(next) != next || next == 0) {
    return Fault(std::string(conversation), "seq: not the successor of the previous line's");
  }
  const Seq seq{next++};
  if (line_->event_id && event_ids_.Insert(HashId(*line_->event_id, key.low).low)) {
    return Fault(std::string(conversation), "event_id: repeats that of an earlier line");
  }
  SourceEvent item{
      .conversation = conversation, .seq = {}, .event = event, .memory = line_->memory, .location = Location()};
  item.size = Taken(line_->end);
  if (envelope.seq || start_.earlier != nullptr) item.seq = seq;
  return item;
}

// The first of a conversation's further lines must have the next seq, or none.
Status JsonlReader::CheckEarlier(std::string_view conversation, const EventView& event, bool first,
                                 std::uint64_t& next) {
  bool fits = start_.earlier->IsIndependent(conversation, event);
  if (first && fits) {
    const auto expected = start_.earlier->NextSeq(conversation);
    fits = expected && (!line_->envelope.seq || next == expected->value);
    if (fits) next = expected->value;
  }
  if (fits) return {};
  return MustBeReadAsAWhole();
}

// The conversation of an invalid line is not imported; if it is unknown, none is whose lines have no numbers. A last
// line without its end is going to be written on.
SourceItem JsonlReader::Unreadable(std::string_view message) {
  const LocatedMessage located = SplitLocation(message);
  const std::string_view text = line_->text.substr(SkipJsonSpace(line_->text, 0));
  std::string repaired;
  const RecordPiece piece = CutRecord(text.substr(0, text.find_last_not_of(" \t\r") + 1), repaired);
  if (piece.kind == RecordPiece::Kind::kDamage) {
    if (line_->has_break) return Fault(std::nullopt, located.text, located.byte);
    torn_ = line_->offset;
    auto torn = Problem(ImportProblemCode::kIncomplete, LastLineIsTorn(located.text), located.byte);
    return SourceNote{{}, std::move(torn), SourceNote::Weight::kAlways};
  }
  std::string conversation = piece.object.String("conversation").value_or(own_conversation_);
  const bool unknown = conversation.empty() || conversation.contains(kReplacementCharacter);
  return Fault(unknown ? std::nullopt : std::optional(std::move(conversation)), located.text, located.byte);
}

std::string JsonlReader::ConversationOf(std::string_view line) const {
  return FindJsonString(line.substr(SkipJsonSpace(line, 0)), "conversation").value_or(own_conversation_);
}

SourceFault JsonlReader::Fault(std::optional<std::string> conversation, std::string_view reason, std::size_t byte) {
  return {std::move(conversation), Problem(ImportProblemCode::kMalformed, reason, byte)};
}

ImportProblem JsonlReader::Problem(ImportProblemCode code, std::string_view reason, std::size_t byte) {
  Taken(line_->end);
  SourceLocation location = Location();
  location.byte = line_->offset + byte;
  return At(location, {code, std::string(reason)});
}

SourceLocation JsonlReader::Location() const { return {file_.path().native(), {}, line_->number, {}}; }

}  // namespace turnlog
