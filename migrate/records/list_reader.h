// Cuts a JSON document into the records that one list in it has: the document is the list, or an object with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/records/element_reader.h"
#include "migrate/records/piece_reader.h"
#include "migrate/records/salvage.h"
#include "migrate/sources/byte_reader.h"

namespace turnlog {

// Where the list begins.
struct ListBegin {
  bool found = false;                // false: `window` is too short to say, or there is no list
  std::size_t begin = 0;             // of its bracket
  std::optional<JsonFault> fault{};  // what is wrong before it, if only that the window ends
};

// The first list of objects in a document that begins with `window`: the document itself, or the value of a field with
// one of these names; an empty list if there is no other one.
ListBegin FindList(std::string_view window, std::span<const std::string_view> fields);

// Its elements that are objects: complete ones, and of a head of kProbeBytes the one that it cuts, closed. After damage
// they go on with the first object that `is_own` recognises.
std::vector<JsonObject> FirstRecords(std::string_view head, std::span<const std::string_view> fields,
                                     const IsRecord& is_own = {});

// Memory: one record, or what is before or after the list; of damage, 64 MiB.
class ListReader final : public PieceReader {
 public:
  // `file` and `fields` must outlive it. `is_record`: recognises records amid damaged bytes; null: what follows damage
  // to the list is its end.
  ListReader(SourceFile& file, std::span<const std::string_view> fields, IsRecord is_record = {})
      : bytes_(file), fields_(fields), is_record_(std::move(is_record)) {}

  Result<RecordPiece> Next() override;

 private:
  Result<RecordPiece> Begin();
  Result<ElementPiece> BeginWithoutList(const std::optional<JsonFault>& fault, bool whole);
  RecordPiece Piece(const ElementPiece& element);
  RecordPiece Located(RecordPiece piece, std::uint64_t offset);

  ByteReader bytes_;
  const std::span<const std::string_view> fields_;
  const IsRecord is_record_;
  std::optional<ElementReader> elements_;  // from the list on
  std::size_t header_ = 0;                 // bytes of the window to consume
  std::uint64_t line_ = 1;                 // of the next piece
  std::string repaired_;
};

}  // namespace turnlog
