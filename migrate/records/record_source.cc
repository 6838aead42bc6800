#include "migrate/records/record_source.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "migrate/import/quarantine.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/record_reader.h"

namespace turnlog {
namespace {

Event Quarantine(const RecordPiece& piece) {
  return MakeQuarantined({std::string(piece.reason), {}, std::string(piece.lead).append(piece.bytes)});
}

std::uint64_t SizeOf(const RecordPiece& piece) { return piece.lead.size() + piece.bytes.size(); }

}  // namespace

RecordSource::RecordSource(std::string_view format, std::vector<RecordFile> list)
    : format_(format), files_(std::move(list)) {}

Result<SourceItem> RecordSource::Next() {
  while (file_ < files_.size()) {
    if (!events_.empty()) return NextEvent();
    RecordFile& file = files_[file_];
    if (part_ < file.parts.size()) {
      SourcePart part = std::move(file.parts[part_++]);
      part.conversation = file.conversation;
      return part;
    }
    if (!reader_) {
      reader_ = OpenFile();
      path_ = file.file->path().string();
    }
    const RecordPiece piece = TURNLOG_TRY(reader_->Next());
    location_ = {path_, {}, piece.line, piece.offset};
    switch (piece.kind) {
      case RecordPiece::Kind::kHeader:
        if (piece.bytes.empty()) break;
        return SourcePart{file.conversation, std::string(kHeaderPart), std::string(piece.bytes), piece.bytes.size()};
      case RecordPiece::Kind::kRecord:
        TakeRecord(piece);
        break;
      case RecordPiece::Kind::kRepaired:
        TakeRepaired(piece);
        break;
      case RecordPiece::Kind::kDamage:
        events_.push_back({Quarantine(piece), SizeOf(piece), std::string(piece.reason), {}});
        break;
      case RecordPiece::Kind::kEnd:
        return TakeTrailer(piece);
    }
  }
  return EndOfSource();
}

std::unique_ptr<PieceReader> RecordSource::OpenFile() {
  RecordFile& file = files_[file_];
  if (!file.lists.empty()) return std::make_unique<ListReader>(*file.file, file.lists);
  const auto is_record = [&file](const JsonObject& object) { return file.converter->IsRecord(object); };
  return std::make_unique<RecordReader>(*file.file, is_record);
}

void RecordSource::TakeRecord(const RecordPiece& piece) {
  const Sighting sighting = Convert(piece);
  if (sighting == Sighting::kCopy || record_.empty() || !record_.AreValid()) {
    record_.KeepAsForeign(piece.lead, sighting != Sighting::kFirst);
  } else {
    record_.Finish(piece.lead, sighting != Sighting::kFirst);
  }
  if (!record_.AreValid()) {
    events_.push_back({Quarantine(piece), SizeOf(piece), "cannot be kept as an event", {}});
    return;
  }
  for (Event& event : record_.events()) events_.push_back({std::move(event), 0, {}, {}});
  events_.front().size = SizeOf(piece);
  if (sighting == Sighting::kOther) events_.front().note = "an earlier record has the same id and other contents";
}

// The original bytes come before the events.
void RecordSource::TakeRepaired(const RecordPiece& piece) {
  const Sighting sighting = Convert(piece);
  events_.push_back({Quarantine(piece), 0, {}, std::string(piece.reason)});
  if (sighting != Sighting::kCopy && !record_.empty() && record_.AreValid()) {
    record_.Finish(piece.lead, sighting != Sighting::kFirst);
    record_.events().front().source_text.reset();
    for (Event& event : record_.events()) events_.push_back({std::move(event), 0, {}, {}});
  }
  events_.back().size = SizeOf(piece);
}

RecordSource::Sighting RecordSource::Convert(const RecordPiece& piece) {
  RecordConverter& converter = *files_[file_].converter;
  record_.Begin(format_, piece.object.text(), converter.Head(piece.object));
  const Sighting sighting = See(record_.head().id, piece);
  if (sighting != Sighting::kCopy) converter.Convert(piece.object, record_);
  return sighting;
}

// Whether a record of the same id was read before.
RecordSource::Sighting RecordSource::See(const std::optional<std::string>& id, const RecordPiece& piece) {
  if (!id) return Sighting::kFirst;
  const Known known{Hash64(piece.object.text()), file_};
  const auto [found, first] = known_.TryEmplace(HashId(*id, 0), known);
  if (first) return Sighting::kFirst;
  return found.file != file_ || found.hash == known.hash ? Sighting::kCopy : Sighting::kOther;
}

SourceItem RecordSource::TakeTrailer(const RecordPiece& piece) {
  const std::string& conversation = files_[file_].conversation;
  SourcePart trailer{conversation, std::string(kTrailerPart), std::string(piece.bytes), 0};
  if (piece.reason.empty()) trailer.size = piece.bytes.size();
  ++file_;
  part_ = 0;
  reader_.reset();
  return trailer;
}

SourceItem RecordSource::NextEvent() {
  Waiting waiting = std::move(events_.front());
  events_.pop_front();
  event_ = std::move(waiting.event);
  SourceEvent item{.conversation = files_[file_].conversation,
                   .seq = {},
                   .event = View(event_),
                   .location = location_,
                   .problem = std::move(waiting.problem),
                   .note = std::move(waiting.note)};
  item.size = waiting.size;
  return item;
}

}  // namespace turnlog
