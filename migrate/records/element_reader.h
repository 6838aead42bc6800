// Cuts a JSON array into elements without losing a byte, also where it is damaged: the leads and texts of all pieces
// are the file, from the array on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "migrate/records/find_element.h"
#include "migrate/records/json_array.h"
#include "migrate/sources/byte_reader.h"
#include "schema/json/json_scan.h"

namespace turnlog {

// Views are valid until the next piece.
struct ElementPiece {
  enum class Kind : std::uint8_t {
    kElement,
    kDamage,  // bytes between elements, without a lead; possibly none, where only a comma is missing
    kEnd,     // `text` is what follows the last element
  };

  Kind kind = Kind::kEnd;
  std::string_view lead, text;
  std::optional<JsonFault> fault;  // of an element
  std::string_view reason;         // kDamage, and kEnd if the array or what follows it has no proper end
  std::uint64_t offset = 0;        // of `text` in the file
};

// Memory: one element, or what follows the array; of damage, 64 MiB.
class ElementReader {
 public:
  // `bytes` begins with the array, or white space or a byte order mark before it, and must outlive the reader.
  // `is_element`: recognises elements amid damaged bytes; null: none is looked for. `in_object`: see CutArray.
  ElementReader(ByteReader& bytes, IsRecord is_element, bool in_object = false)
      : bytes_(bytes),
        is_element_(std::move(is_element)),
        in_object_(in_object),
        budget_(SearchBudget(bytes.window().size())) {}

  // What passes has no fault: `reads` is called for an element right before it is returned as the next piece, or looked
  // at for faults.
  void SetQuickReader(std::function<bool(const RawElement&)> reads) { reads_ = std::move(reads); }
  Result<ElementPiece> Next();

  // Instead of the first Next, where no array can be found because what precedes it is damaged: the bytes up to the
  // first object that is recognised.
  Result<ElementPiece> NextWithoutArray(std::string_view reason);
  // Instead of the first Next: all bytes are sound and have no array. REQUIRES: all of them are in the window.
  ElementPiece EndWithoutArray() { return End({}); }

 private:
  std::expected<ArrayPiece, BadText> Cut() const;
  bool IsStrayString(const ArrayPiece& piece) const;
  bool IsCut() const;
  Result<bool> More();
  std::expected<FoundElement, NotFound> Find(std::size_t from, std::size_t to);
  std::expected<FoundElement, NotFound> FindAfterFault(const ArrayPiece& piece);
  Result<ElementPiece> Recover(std::string_view reason);
  ElementPiece ContinueAt(const FoundElement& found);
  ElementPiece Element(const RawElement& element, std::optional<JsonFault> fault);
  ElementPiece TakeFound();
  ElementPiece Damage(std::size_t size, std::string_view reason);
  ElementPiece NextDamage();
  ElementPiece End(std::string_view reason);

  ByteReader& bytes_;
  const IsRecord is_element_;
  std::function<bool(const RawElement&)> reads_;
  const bool in_object_;
  std::size_t budget_;   // of searches
  bool at_end_ = false;  // the window reaches to the end of the file
  bool first_ = true;
  bool in_array_ = true;               // false: no element was found yet
  std::size_t consume_ = 0;            // bytes of the window to consume before the next piece
  std::size_t damaged_ = 0;            // bytes of the window after these that are still to be returned as damage
  std::string_view reason_;            // of the damage
  bool lost_ = false;                  // in damage: the next element must be searched
  bool in_rest_ = false;               // only what follows the array is left
  std::string_view end_reason_;        // of that
  std::optional<FoundElement> found_;  // the next element, after damage; in the window
};

}  // namespace turnlog
