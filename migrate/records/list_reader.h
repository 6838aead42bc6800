// Cuts a JSON document into the records that one list in it has: the document is the list, or an object with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "migrate/import/byte_reader.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {

// Where the list begins.
struct ListBegin {
  bool found = false;     // false: `window` is too short to say, or there is no list
  std::size_t begin = 0;  // of its bracket
};

// The first list of objects in a document that begins with `window`: the document itself, or the value of a field with
// one of these names; an empty list if there is no other one.
ListBegin FindList(std::string_view window, std::span<const std::string_view> fields);

// Its elements that are objects: complete ones, and of a head of kProbeBytes the one that it cuts, closed.
std::vector<JsonObject> FirstRecords(std::string_view head, std::span<const std::string_view> fields);

// Memory: one record, or what is before or after the list.
class ListReader final : public PieceReader {
 public:
  // `file` and `fields` must outlive it.
  ListReader(SourceFile& file, std::span<const std::string_view> fields) : bytes_(file), fields_(fields) {}

  Result<RecordPiece> Next() override;

 private:
  Result<RecordPiece> Header();
  Result<RecordPiece> End(std::string_view reason);
  RecordPiece Element(std::string_view lead, std::string_view text);

  ByteReader bytes_;
  const std::span<const std::string_view> fields_;
  bool in_list_ = false, first_ = true, in_rest_ = false, ended_ = false;
  std::size_t consume_ = 0;
  std::string repaired_;
};

}  // namespace turnlog
