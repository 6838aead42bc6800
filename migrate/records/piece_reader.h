// Cuts a file into records, without losing a byte: the pieces, each with the bytes before it, are the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "migrate/records/json_object.h"
#include "turnlog/result.h"

namespace turnlog {

// Views are valid until the next piece.
struct RecordPiece {
  enum class Kind : std::uint8_t {
    kHeader,  // what precedes a list of records
    kRecord,
    kRepaired,  // a record whose text had to be changed to be valid
    kDamage,
    kEnd,   // `bytes` is what follows the last piece: white space, the end of a list, or what is not complete
    kText,  // all of a file that has no records
    kRow,   // of a database, beside the messages; comes before all records
  };

  Kind kind = Kind::kEnd;
  std::string_view lead;     // before `bytes`: white space, byte order marks, a comma
  std::string_view bytes;    // as in the file
  JsonObject object;         // kRecord, kRepaired
  std::string_view reason;   // kRepaired, kDamage, and kEnd if something is not complete
  std::string_view name;     // kRow
  std::uint64_t offset = 0;  // of `bytes`
  std::uint64_t line = 1;    // of `bytes`
};

// Longer damage is more than one piece, because each is kept in one event.
inline constexpr std::size_t kMaxDamageBytes = std::size_t{16} << 20;

// A text without white space around it as a record or as damage. `repaired` gets the text of a record that had to be
// changed, and must outlive the piece.
RecordPiece CutRecord(std::string_view text, std::string& repaired);

class PieceReader {
 public:
  virtual ~PieceReader() = default;
  // After kEnd there is nothing more.
  virtual Result<RecordPiece> Next() = 0;
};

}  // namespace turnlog
