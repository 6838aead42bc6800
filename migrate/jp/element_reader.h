// Cuts the array in a jp events.json into elements without losing a byte, also where it is damaged: the leads and texts
// of all pieces are the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "migrate/import/byte_reader.h"
#include "migrate/jp/find_element.h"
#include "migrate/records/json_array.h"
#include "schema/json/json_scan.h"

namespace turnlog {

// Views are valid until the next piece.
struct JpPiece {
  enum class Kind : std::uint8_t {
    kElement,
    kDamage,  // bytes between elements, without a lead; possibly none, where only a comma is missing
    kEnd,     // `text` is what follows the last element
  };

  Kind kind = Kind::kEnd;
  std::string_view lead, text;
  std::optional<JsonFault> fault;  // of an element
  std::string_view reason;         // kDamage, and kEnd if the array has no proper end
  std::uint64_t offset = 0;        // of `text` in the file
};

// Memory: one element; of damage, 64 MiB.
class JpElementReader {
 public:
  // `file` must outlive it.
  explicit JpElementReader(SourceFile& file) : bytes_(file) {}

  Result<JpPiece> Next();

 private:
  std::expected<ArrayPiece, BadText> Cut(bool whole) const;
  Result<JpPiece> Recover();
  JpPiece Element(std::string_view lead, std::string_view text);
  JpPiece TakeFound();
  JpPiece Damage(std::size_t size);
  JpPiece End(std::string_view reason);
  std::optional<FoundElement> FindAfterFault() const;
  JpPiece ContinueAt(const FoundElement& found);

  ByteReader bytes_;
  bool first_ = true;
  std::size_t consume_ = 0;            // bytes of the window to consume before the next piece
  std::string_view reason_;            // of the damage that the window begins with
  bool lost_ = false;                  // in damage: the next element must be searched
  std::optional<FoundElement> found_;  // the next element, after damage; in the window
};

}  // namespace turnlog
