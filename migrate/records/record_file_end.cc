// Where a file of records ends, and how it is read on from there when it has grown.
#include <utility>

#include "base/coding.h"
#include "base/count_lines.h"
#include "base/try.h"
#include "migrate/records/record_source.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

std::vector<std::uint64_t> ReadUnlisted(Decoder& in) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) hashes.push_back(in.Big());
  return hashes;
}

// Whether the end of a file may be the beginning of its first record.
bool MayBecomeARecord(const RecordPiece& end) {
  return end.reason.empty() || end.reason == kJsonEndsEarly || end.reason == kJsonStringEndsEarly;
}

// Whether a line break precedes what the piece has.
bool BeginsLine(const RecordPiece& piece) {
  const std::string_view text = piece.kind == RecordPiece::Kind::kEnd ? piece.bytes : piece.lead;
  return text.substr(0, SkipJsonSpace(text, 0)).contains('\n');
}

}  // namespace

std::vector<std::uint64_t> UnlistedIds(std::string_view reader) {
  Decoder in{reader};
  return ReadUnlisted(in);
}

// Whether the file is no conversation so far. One that is read from where it ended is one.
bool RecordSource::MayBeNone() const {
  const RecordFile& file = files_[file_];
  return file.unnamed && !has_pieces_ && !file.IsResumed();
}

bool RecordSource::Restore(const RecordStart& start) {
  Decoder in{start.reader};
  unlisted_ = ReadUnlisted(in);
  const RecordFile& file = files_[file_];
  RecordConverter::OpenQuestions open{
      .arguments = [this, &file](std::string_view call) { return earlier_->OpenQuestions(file.conversation, call); },
      .calls = [this, &file] { return earlier_->AskingCalls(file.conversation); }};
  return in.ok && earlier_ != nullptr && file.converter->Restore(in.bytes, std::move(open));
}

// A last line without its end is still being written; a document is written as a whole.
void RecordSource::TakeEnd(const RecordPiece& piece) {
  const RecordFile& file = files_[file_];
  const bool torn = !piece.reason.empty();
  if (MayBeNone() && MayBecomeARecord(piece)) return NoteIncomplete(piece);
  const std::uint64_t size = torn ? 0 : piece.bytes.size();
  ending_.emplace_back(SourceResumePoint{.conversation = file.conversation,
                                         .file = file.file,
                                         .part_files = file.part_files,
                                         .offset = piece.offset,
                                         .line = piece.line,
                                         .trailer = size,
                                         .reader = SaveReader(piece),
                                         .version = file.version});
  if (torn) NoteIncomplete(piece);
  SourcePart trailer{file.conversation, std::string(kTrailerPart), std::string(piece.bytes), size};
  trailer.torn = torn;
  trailer.left_out = torn && (piece.bytes.size() > kMaxDamageBytes || file.converter->AwaitsSecret());
  ending_.emplace_back(std::move(trailer));
}

void RecordSource::NoteIncomplete(const RecordPiece& piece) {
  const RecordFile& file = files_[file_];
  const std::size_t space = SkipJsonSpace(piece.bytes, 0);
  location_.byte = piece.offset + space;
  location_.line = piece.line + CountLines(piece.bytes.substr(0, space));
  const bool has_lines = file.lists.empty() && !file.is_record;
  const auto weight = has_lines ? SourceNote::Weight::kAlways : SourceNote::Weight::kProblem;
  std::string why(piece.reason.empty() ? std::string_view("there is no record yet") : piece.reason);
  if (has_lines && !piece.reason.empty()) why = LastLineIsTorn(why);
  ImportReason reason{ImportProblemCode::kIncomplete, std::move(why)};
  ending_.emplace_back(SourceNote{file.conversation, At(location_, std::move(reason)), weight});
}

// The first piece of a file that is read from where it ended: what follows a record must begin a line, because a record
// is found by its line.
bool RecordSource::GoesOn(const RecordPiece& piece) const {
  const bool only_space = piece.kind == RecordPiece::Kind::kEnd && piece.reason.empty();
  return files_[file_].start->offset == 0 || only_space || BeginsLine(piece);
}

// A record whose line has no break yet may get one. Damage may go on.
std::optional<std::string> RecordSource::SaveReader(const RecordPiece& piece) const {
  constexpr std::size_t kMaxUnlisted = 1'000;
  const bool may_go_on = piece.offset == 0 || after_record_ || BeginsLine(piece);
  if (!may_go_on || !files_[file_].lists.empty() || unlisted_.size() > kMaxUnlisted) return std::nullopt;
  const auto state = files_[file_].converter->Save();
  if (!state) return std::nullopt;
  std::string out;
  AppendVarint(out, unlisted_.size());
  for (const std::uint64_t id : unlisted_) AppendBig(out, id);
  return out + *state;
}

}  // namespace turnlog
