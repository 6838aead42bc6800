#include "migrate/records/record_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/try.h"
#include "base/utf8.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/document_reader.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/record_reader.h"
#include "migrate/records/record_revision.h"
#include "migrate/records/text_reader.h"
#include "migrate/records/waiting_reader.h"
#include "schema/event/encoded_size.h"

namespace turnlog {
namespace {

Event Quarantine(const RecordPiece& piece) {
  return MakeQuarantined({std::string(piece.reason), {}, std::string(piece.lead).append(piece.bytes)});
}

SourceItem PopFront(std::deque<SourceItem>& items) {
  SourceItem item = std::move(items.front());
  items.pop_front();
  return item;
}

std::uint64_t SizeOf(const RecordPiece& piece) { return piece.lead.size() + piece.bytes.size(); }

}  // namespace

RecordSource::RecordSource(std::string_view format, std::vector<RecordFile> list, EarlierRecords* earlier)
    : format_(format), files_(std::move(list)), earlier_(earlier) {
  const bool has_rows = std::ranges::any_of(files_, [](const RecordFile& file) { return file.rows != nullptr; });
  if (has_rows || files_.empty()) rows_size_ = 0;  // without files: a database without sessions
}

Result<SourceItem> RecordSource::Next() {
  if (std::exchange(returned_, false)) events_.pop_front();
  while (file_ < files_.size()) {
    if (!before_events_.empty()) return PopFront(before_events_);
    if (!events_.empty()) return NextEvent();
    if (!ending_.empty()) {
      SourceItem item = PopFront(ending_);
      if (ending_.empty()) CloseFile();
      return item;
    }
    if (!reader_) {
      if (auto refused = TURNLOG_TRY(FindRefusal())) return *std::move(refused);
      TURNLOG_TRY(OpenFile());
    }
    if (!reader_) continue;
    RecordFile& file = files_[file_];
    if (part_ < file.parts.size() && !MayBeNone()) {
      SourcePart part = std::move(file.parts[part_++]);
      part.conversation = file.conversation;
      if (rows_size_) *rows_size_ += part.size;
      return part;
    }
    const RecordPiece piece = TURNLOG_TRY(reader_->Next());
    if (!has_pieces_ && file.IsResumed() && !GoesOn(piece)) return MustBeReadAsAWhole();
    TURNLOG_TRY(TakePiece(piece));
    if (file.start && file.start->again && piece.offset < file.start->offset) events_.clear();
  }
  return EndOfSource{.size = 0, .source_size = rows_size_};
}

Status RecordSource::TakePiece(const RecordPiece& piece) {
  location_ = {path_, {}, piece.line, piece.offset};
  if (rows_size_) *rows_size_ += SizeOf(piece);
  if (piece.kind == RecordPiece::Kind::kEnd) return TakeEnd(piece), Status();
  has_pieces_ = true;
  after_record_ = piece.kind == RecordPiece::Kind::kRecord || piece.kind == RecordPiece::Kind::kRepaired;
  switch (piece.kind) {
    case RecordPiece::Kind::kHeader:
      TakeHeader(piece);
      break;
    case RecordPiece::Kind::kRow:
      TakeRow(piece);
      break;
    case RecordPiece::Kind::kRecord:
      return TakeRecord(piece);
    case RecordPiece::Kind::kText:
      TakeText(piece);
      break;
    case RecordPiece::Kind::kRepaired:
      return TakeRepaired(piece);
    case RecordPiece::Kind::kDamage:
      events_.push_back({Quarantine(piece), SizeOf(piece), {.problem = std::string(piece.reason)}});
      break;
    case RecordPiece::Kind::kEnd:
      break;
  }
  return {};
}

void RecordSource::TakeHeader(const RecordPiece& piece) {
  if (piece.bytes.empty()) return;
  before_events_.emplace_back(
      SourcePart{files_[file_].conversation, std::string(kHeaderPart), std::string(piece.bytes), piece.bytes.size()});
}

Result<std::optional<SourceFault>> RecordSource::FindRefusal() {
  const RecordFile& file = files_[file_];
  std::string why = file.find_refusal && !file.skipped ? TURNLOG_TRY(file.find_refusal()) : std::string();
  if (why.empty()) return std::nullopt;
  path_ = file.file->path().native();
  CloseFile();
  return SourceFault{file.conversation, At({path_}, {ImportProblemCode::kMalformed, std::move(why)})};
}

Status RecordSource::OpenFile() {
  RecordFile& file = files_[file_];
  path_ = file.file->path().native();
  const auto is_record = [&file](const JsonObject& object) { return file.converter->IsRecord(object); };
  if (file.skipped) {
    CloseFile();
  } else if (file.rows) {
    reader_ = std::move(file.rows);
  } else if (file.is_record) {
    reader_ = std::make_unique<DocumentReader>(*file.file, true);
  } else if (file.is_text) {
    reader_ = std::make_unique<TextReader>(*file.file);
  } else if (!file.lists.empty()) {
    auto list = std::make_unique<ListReader>(*file.file, file.lists, is_record);
    reader_ = std::make_unique<WaitingReader>(
        std::move(list), [&file](const JsonObject& object) { return file.converter->IsUnfinished(object); },
        [&file](const JsonObject& object) { return !file.converter->BeginUnfinished(object); });
  } else {
    const RecordStart start = file.IsResumed() ? *file.start : RecordStart();
    reader_ = std::make_unique<RecordReader>(*file.file, is_record, start.offset, start.line);
  }
  after_record_ = file.IsResumed();
  if (file.keeps_copies) file.converter->KeepCopies();
  if (earlier_ != nullptr && !file.lists.empty()) {
    file.converter->RepeatQuestions(
        [this, &file](std::string_view id) { return earlier_->HasAsked(file.conversation, id); });
  }
  if (file.IsResumed() && !Restore(*file.start)) return MustBeReadAsAWhole();
  if (!file.skipped && !file.IsResumed() && file.more_parts) {
    for (SourcePart& part : file.more_parts()) file.parts.push_back(std::move(part));
  }
  return {};
}

void RecordSource::CloseFile() {
  ++file_;
  part_ = 0;
  has_pieces_ = false;
  reader_.reset();
  unlisted_.clear();
  ids_.MarkEarlier();
}

Status RecordSource::TakeRecord(const RecordPiece& piece) {
  const Sighting sighting = TURNLOG_TRY(Convert(piece));
  const bool repeated = sighting != Sighting::kFirst;
  if (side_ != nullptr) TakeSide(repeated);
  const bool whole = side_ != nullptr || sighting == Sighting::kCopy || record_.empty() || !record_.AreValid();
  whole ? record_.KeepAsForeign(piece.lead, repeated) : record_.Finish(piece.lead, repeated);
  if (whole ? !record_.AreValid() : !record_.Fit()) {
    events_.push_back({Quarantine(AsStored(piece)), SizeOf(piece), {.problem = "cannot be kept as an event"}});
    NoteRedacted();
    record_.events().clear();
    return NoteUnlisted(), Status();
  }
  // A copy is found where its original is.
  if (sighting != Sighting::kCopy) NoteUnlisted();
  for (Event& event : record_.events()) events_.push_back({.event = std::move(event), .is_checked = true});
  events_.front().size = SizeOf(piece);
  NoteRedacted();
  NoteOf(sighting, events_.front());
  return {};
}

// What is to be said of the record, of which this is the first event.
void RecordSource::NoteOf(Sighting sighting, Waiting& first) const {
  if (!record_.note().empty()) first.remarks.note = {ImportProblemCode::kUnclear, record_.note()};
  if (sighting == Sighting::kOther) {
    first.remarks.note = {ImportProblemCode::kRepeatedId, "an earlier record has the same id and other contents"};
  }
}

// The events of a record that belongs to another conversation: the file's has its bytes.
void RecordSource::TakeSide(bool repeated) {
  if (record_.empty() || !record_.AreValid()) return;
  record_.Finish({}, repeated);
  record_.events().front().source_text.reset();
  for (Event& event : record_.events()) {
    events_.push_back({.event = std::move(event), .conversation = side_->conversation});
  }
}

void RecordSource::TakeText(const RecordPiece& piece) {
  record_.Begin(format_, piece.bytes, {});
  if (IsUtf8(piece.bytes)) record_.KeepAsText();
  const bool text = !record_.empty() && record_.AreValid();
  events_.push_back({text ? std::move(record_.events().front()) : Quarantine(piece), SizeOf(piece)});
}

// One that is too large for an event is left out, and a problem.
void RecordSource::TakeRow(const RecordPiece& piece) {
  Event row = MakeRow(format_, piece.bytes.substr(0, piece.bytes.size() - 1), piece.name);
  if (Validate(View(row)) && EncodedSizeBound(View(row)) <= kMaxEventBytes) {
    return events_.push_back({.event = std::move(row), .size = SizeOf(piece), .is_checked = true, .is_row = true});
  }
  ImportReason reason{ImportProblemCode::kIncomplete, fmt::format("cannot keep the row {}", Printable(piece.name))};
  before_events_.emplace_back(
      SourceNote{files_[file_].conversation, At(location_, std::move(reason)), SourceNote::Weight::kProblem});
}

// The original bytes come before the events.
Status RecordSource::TakeRepaired(const RecordPiece& piece) {
  const Sighting sighting = TURNLOG_TRY(Convert(piece));
  SourceRemarks repaired{.note = {ImportProblemCode::kTextRepaired, std::string(piece.reason)}};
  events_.push_back({.event = Quarantine(AsStored(piece)), .remarks = std::move(repaired)});
  if (sighting == Sighting::kCopy || !record_.AreValid()) record_.events().clear();
  if (!record_.empty()) {
    record_.Finish(piece.lead, sighting != Sighting::kFirst);
    record_.events().front().source_text.reset();
  }
  NoteUnlisted();
  const std::string conversation = side_ != nullptr ? side_->conversation : std::string();
  for (Event& event : record_.events()) {
    events_.push_back({.event = std::move(event), .conversation = conversation});
  }
  events_.back().size = SizeOf(piece);
  if (events_.size() > 1) NoteOf(sighting, events_[1]);
  NoteRedacted();
  return {};
}

Result<RecordSource::Sighting> RecordSource::Convert(const RecordPiece& piece) {
  RecordConverter* converter = files_[file_].converter.get();
  record_.Begin(format_, piece.object.text(), converter->Head(piece.object));
  const Sighting sighting = TURNLOG_TRY(See(record_.head().id, piece));
  side_ = sighting == Sighting::kCopy ? nullptr : converter->Side(piece.object);
  if (side_ != nullptr) {
    if (files_[file_].start) return MustBeReadAsAWhole();
    converter = side_->converter.get();
    for (SourcePart& part : std::exchange(side_->parts, {})) {
      part.conversation = side_->conversation;
      before_events_.emplace_back(std::move(part));
    }
  }
  if (sighting != Sighting::kCopy) converter->Convert(piece.object, record_);
  return sighting;
}

// Whether a record of the same id was read before.
Result<RecordSource::Sighting> RecordSource::See(const std::optional<std::string>& id, const RecordPiece& piece) {
  if (!id) return Sighting::kFirst;
  const std::uint32_t contents = IdTable::Contents(files_[file_].converter->HashContents(piece.object));
  if (const auto known = ids_.Insert(Hash64(*id), contents)) {
    if (*known == IdTable::kEarlier && WasImportedAsOwn(*id)) {
      return ids_.Replace(Hash64(*id), contents), Sighting::kFirst;
    }
    if (*known == IdTable::kEarlier || *known == contents) return Sighting::kCopy;
    return ids_.Insert(Hash64(fmt::format("{}\n{}", *id, contents)), contents) ? Sighting::kCopy : Sighting::kOther;
  }
  if (earlier_ == nullptr || rows_size_) return Sighting::kFirst;  // rows with the same ids are read together
  const bool unlisted = std::ranges::find(unlisted_, Hash64(*id)) != unlisted_.end();
  switch (unlisted ? EarlierRecords::Found::kInSameFile : earlier_->Find(files_[file_].conversation, *id)) {
    case EarlierRecords::Found::kNot:
      return Sighting::kFirst;
    case EarlierRecords::Found::kInEarlierFile:
      return WasImportedAsOwn(*id) ? Sighting::kFirst : Sighting::kCopy;
    case EarlierRecords::Found::kInSameFile:
      if (!files_[file_].IsResumed()) return Sighting::kFirst;  // when it was read before
      if (!unlisted && HasInLog(*id, contents)) return Sighting::kCopy;
      break;
  }
  return MustBeReadAsAWhole();
}

// Whether the record that the log has under the id says the same.
bool RecordSource::HasInLog(std::string_view id, std::uint32_t contents) const {
  const RecordFile& file = files_[file_];
  const std::string bytes = earlier_->Read(file.conversation, id);
  const auto record = JsonObject::Parse(bytes);
  return record && IdTable::Contents(file.converter->HashContents(*record)) == contents;
}

// Whether the file was imported before the one that has the record, too: what it means stays as it is in the log.
bool RecordSource::WasImportedAsOwn(std::string_view id) const {
  return earlier_ != nullptr && !rows_size_ && !files_[file_].IsResumed() &&
         earlier_->HasAsOwn(files_[file_].conversation, id);
}

// The piece, with the record that the converter has put in its place.
RecordPiece RecordSource::AsStored(RecordPiece piece) const {
  if (record_.redacted()) piece.bytes = record_.record();
  return piece;
}

void RecordSource::NoteRedacted() {
  if (!record_.redacted()) return;
  Waiting& last = events_.back();
  last.redacted = true;
  last.remarks.note = AnswerRedacted();
  last.remarks.answers = std::move(record_.answers());
}

// The log finds the ids of records by those of its events: the others must be remembered.
void RecordSource::NoteUnlisted() {
  const std::optional<std::string>& id = record_.head().id;
  if (!id || std::ranges::find(record_.events(), id, &Event::event_id) != record_.events().end()) return;
  unlisted_.push_back(Hash64(*id));
}

SourceItem RecordSource::NextEvent() {
  Waiting& waiting = events_.front();
  returned_ = true;
  const std::string& conversation = waiting.conversation.empty() ? files_[file_].conversation : waiting.conversation;
  if (auto why = waiting.is_checked ? std::nullopt : WhyRefused(waiting.event)) {
    return SourceFault{conversation, At(location_, *std::move(why))};
  }
  SourceEvent item = encoder_.Encode(waiting.event);
  item.conversation = conversation;
  item.location = location_;
  item.size = waiting.size;
  item.redacted = waiting.redacted;
  item.is_row = waiting.is_row;
  if (!waiting.remarks.empty()) item.remark() = std::move(waiting.remarks);
  return item;
}

}  // namespace turnlog
