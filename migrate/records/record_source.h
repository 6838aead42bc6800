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

#include "base/hash_map.h"
#include "migrate/import/source.h"
#include "migrate/import/source_reader.h"
#include "migrate/records/piece_reader.h"
#include "migrate/records/record_events.h"

namespace turnlog {

// The parts of an import record that hold what precedes a file's list of records, and what follows the last record.
inline constexpr std::string_view kHeaderPart = "header";
inline constexpr std::string_view kTrailerPart = "trailer";

// What the records of a format mean; one object for each file.
class RecordConverter {
 public:
  virtual ~RecordConverter() = default;
  virtual RecordHead Head(const JsonObject& record) const = 0;
  // Whether an object found amid damaged bytes is a record, and not a part of one.
  virtual bool IsRecord(const JsonObject& /*object*/) const { return false; }
  // Adds the events of a record, which is not a copy of an earlier one. None: it is kept as a foreign event.
  virtual void Convert(const JsonObject& record, RecordEvents& events) = 0;
};

// A file that is one conversation.
struct RecordFile {
  SourceFile* file = nullptr;
  std::string conversation;
  std::unique_ptr<RecordConverter> converter;
  std::vector<SourcePart> parts;  // without their conversation
  // The names of fields that may have the list of records, if the file is one JSON document; must outlive the reader.
  std::span<const std::string_view> lists;
};

// Memory: one record with its events, and about 70 bytes for each record id.
class RecordSource final : public SourceReader {
 public:
  // `format`: its name. The files of `list` must outlive the reader. A record with the id of a record in an earlier
  // file is a copy of it.
  RecordSource(std::string_view format, std::vector<RecordFile> list);

  Result<SourceItem> Next() override;

 private:
  // The record that has an id.
  struct Known {
    std::uint64_t hash = 0;
    std::size_t file = 0;
  };

  enum class Sighting : std::uint8_t { kFirst, kCopy, kOther };

  // An event that was read and not yet returned.
  struct Waiting {
    Event event;
    std::uint64_t size = 0;  // of its bytes in the source
    std::string problem, note;
  };

  std::unique_ptr<PieceReader> OpenFile();
  void TakeRecord(const RecordPiece& piece);
  void TakeRepaired(const RecordPiece& piece);
  Sighting Convert(const RecordPiece& piece);
  Sighting See(const std::optional<std::string>& id, const RecordPiece& piece);
  SourceItem TakeTrailer(const RecordPiece& piece);
  SourceItem NextEvent();

  const std::string_view format_;
  std::vector<RecordFile> files_;
  std::size_t file_ = 0;
  std::size_t part_ = 0;  // of the parts of the file
  std::unique_ptr<PieceReader> reader_;
  std::string path_;
  HashMap<Known> known_;
  RecordEvents record_;
  std::deque<Waiting> events_;  // of the last piece
  Event event_;                 // the one that was returned
  SourceLocation location_;
};

}  // namespace turnlog
