// Reads the files of a source whose records are JSON objects: one per line, or a list in a document. What is common to
// all such formats is here: damage, copies, ids, templates. A format adds only what its records mean (RecordConverter).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "migrate/logged/import_record.h"
#include "migrate/records/earlier_records.h"
#include "migrate/records/id_table.h"
#include "migrate/records/piece_reader.h"
#include "migrate/records/record_events.h"
#include "migrate/sources/item_encoder.h"
#include "migrate/sources/source.h"
#include "migrate/sources/source_reader.h"

namespace turnlog {

// The parts of an import record that hold what precedes a file's list of records, and what follows the last record.
inline constexpr std::string_view kHeaderPart = "header";
inline constexpr std::string_view kTrailerPart = "trailer";
inline SourcePart LayoutPart(std::string_view name) {
  return {.conversation = {}, .name = std::string(kLayoutPart), .bytes = std::string(name)};
}

struct SideRecords;

// What the records of a format mean; one object for each file.
class RecordConverter {
 public:
  // The questions of earlier calls that have no outcome yet.
  struct OpenQuestions {
    std::function<std::optional<std::string>(std::string_view call)> arguments;  // of a call
    std::function<std::vector<std::string>()> calls;                             // that asked: these, and others
  };

  virtual ~RecordConverter() = default;
  virtual RecordHead Head(const JsonObject& record) const = 0;
  // A hash of what a record says: one that says the same as an earlier one with its id is a copy of it.
  virtual std::uint64_t HashContents(const JsonObject& record) const { return Hash64(record.text()); }
  // Whether an object found amid damaged bytes is a record, and not a part of one.
  virtual bool IsRecord(const JsonObject& /*object*/) const { return false; }
  // Whether something in a record is still being written, if it is the last one of a list.
  virtual bool IsUnfinished(const JsonObject& /*record*/) const { return false; }
  // The next record is the last one, and unfinished: Convert leaves out what is being written, and what follows that.
  // False: nothing would be left, so that all of the record waits.
  virtual bool BeginUnfinished(const JsonObject& /*record*/) { return false; }
  // Adds the events of a record, which is not a copy of an earlier one. None: it is kept as a foreign event.
  virtual void Convert(const JsonObject& record, RecordEvents& events) = 0;

  // What the meaning of further records depends on, so that a file that has grown is read from where it ended. It is
  // stored outside of the log: no contents of the file, only counts, hashes and times. Nothing: the format's files are
  // read as a whole. A format that asks for secrets must not go on.
  virtual std::optional<std::string> Save() const { return std::nullopt; }
  // False if the state is not understood.
  virtual bool Restore(std::string_view /*state*/, OpenQuestions /*open*/) { return false; }

  // What the file repeats of another conversation is its own history, because that conversation is not known. Called
  // before all else.
  virtual void KeepCopies() {}

  // A document that says only what became of a call has no questions that were asked before: `asked` knows those that
  // were imported then. Called before all else.
  virtual void RepeatQuestions(std::function<bool(std::string_view inquiry)> /*asked*/) {}

  // Whether a question for a secret has no answer so far: what is torn may have it.
  virtual bool AwaitsSecret() const { return false; }

  // Another conversation that the record belongs to, which is told within this file; null: none. Called once for each
  // record, before Convert. The file keeps the record as a foreign event, which has its bytes; it is then read as a
  // whole. Valid until the next call.
  virtual SideRecords* Side(const JsonObject& /*record*/) { return nullptr; }
};

// A conversation that is told within the file of another one.
struct SideRecords {
  std::string conversation;
  std::unique_ptr<RecordConverter> converter;
  std::vector<SourcePart> parts;  // without their conversation
};

// Where an earlier reading of a file ended.
struct RecordStart {
  std::uint64_t offset = 0, line = 1;
  std::string reader;  // of its SourceResumePoint
  // `reader` is of another version: what precedes `offset` is read once more, for what follows, and is not returned.
  bool again = false;
};

// Hashes of the ids of records before a SourceResumePoint with this `reader` that are not the id of an event.
std::vector<std::uint64_t> UnlistedIds(std::string_view reader);

// A file that is one conversation.
struct RecordFile {
  SourceFile* file = nullptr;
  std::string conversation;
  std::unique_ptr<RecordConverter> converter;
  std::vector<SourcePart> parts;  // without their conversation
  // The names of fields that may have the list of records, if the file is one JSON document; must outlive the reader.
  std::span<const std::string_view> lists;
  // More parts, which are read when the file is read from its beginning, and the files that they come from.
  std::function<std::vector<SourcePart>()> more_parts;
  std::vector<const SourceFile*> part_files;
  std::optional<RecordStart> start;
  bool skipped = false;       // nothing of it has changed
  bool keeps_copies = false;  // see RecordConverter::KeepCopies
  // The whole file is one record.
  bool is_record = false;
  // The conversation has the name of the file, and a record may name it otherwise: if no record is complete yet, there
  // is no conversation.
  bool unnamed = false;
  // What to read instead of the file, if its records are rows of a database.
  std::unique_ptr<PieceReader> rows{};
  Hash128 version{};         // of these rows: another one when they may have changed; zero: unknown
  bool is_salvaged = false;  // they are what could be read of a damaged one
  bool is_text = false;      // no records: all of it is one foreign event with the text
  // Why the conversation is not to be imported, although others of the source are; empty: it is. Asked before it is
  // read.
  std::function<Result<std::string>()> find_refusal{};

  // Whether it is read from where it ended.
  bool IsResumed() const { return start && !start->again; }
};

// Memory: one record with its events, and up to 30 bytes for each record id that was read.
class RecordSource final : public SourceReader {
 public:
  // `format`: its name. The files of `list` must outlive the reader. A record with the id of a record in an earlier
  // file is a copy of it. `earlier`: what was imported before, if some files are not read from their beginnings. Fails
  // with kConflict if one of them has to be.
  RecordSource(std::string_view format, std::vector<RecordFile> list, EarlierRecords* earlier = nullptr);

  Result<SourceItem> Next() override;

 private:
  enum class Sighting : std::uint8_t { kFirst, kCopy, kOther };

  // An event that was read and not yet returned.
  struct Waiting {
    Event event;
    std::uint64_t size = 0;  // of its bytes in the source
    SourceRemarks remarks{};
    std::string conversation{};  // empty: that of the file
    bool is_checked = false;     // the log accepts it
    bool redacted = false;
    bool is_row = false;
  };

  Result<std::optional<SourceFault>> FindRefusal();
  Status OpenFile();
  void CloseFile();
  bool Restore(const RecordStart& start);
  Status TakePiece(const RecordPiece& piece);
  void TakeHeader(const RecordPiece& piece);
  Status TakeRecord(const RecordPiece& piece);
  void TakeSide(bool repeated);
  void TakeText(const RecordPiece& piece);
  void TakeRow(const RecordPiece& piece);
  Status TakeRepaired(const RecordPiece& piece);
  Result<Sighting> Convert(const RecordPiece& piece);
  Result<Sighting> See(const std::optional<std::string>& id, const RecordPiece& piece);
  bool HasInLog(std::string_view id, std::uint32_t contents) const;
  bool WasImportedAsOwn(std::string_view id) const;
  bool MayBeNone() const;
  void NoteUnlisted();
  RecordPiece AsStored(RecordPiece piece) const;
  void NoteRedacted();
  void NoteOf(Sighting sighting, Waiting& first) const;
  void TakeEnd(const RecordPiece& piece);
  void NoteIncomplete(const RecordPiece& piece);
  bool GoesOn(const RecordPiece& piece) const;
  std::optional<std::string> SaveReader(const RecordPiece& piece) const;
  SourceItem NextEvent();

  const std::string_view format_;
  std::vector<RecordFile> files_;
  std::size_t file_ = 0;
  std::size_t part_ = 0;                    // of the parts of the file
  std::optional<std::uint64_t> rows_size_;  // of all rows, if these are read
  std::unique_ptr<PieceReader> reader_;
  std::string_view path_;
  EarlierRecords* const earlier_;
  IdTable ids_;
  std::vector<std::uint64_t> unlisted_;  // hashes of the ids of this file's records that no event has
  bool has_pieces_ = false;              // the file, besides its end
  bool after_record_ = false;            // the last piece was a record
  std::deque<SourceItem> ending_;        // of the file, to be returned before the next one
  RecordEvents record_;
  SideRecords* side_ = nullptr;  // of the last record
  std::deque<SourceItem> before_events_;
  std::deque<Waiting> events_;  // of the last piece
  bool returned_ = false;       // the first of them was returned
  SourceLocation location_;
  ItemEncoder encoder_;
};

}  // namespace turnlog
