// What can be read of a line that is not one JSON object. Linear in the length of the line, whatever it contains.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"

namespace turnlog {

// Whether an object found amid damaged bytes is a record of the format, and not a part of a torn one.
using IsRecord = std::function<bool(const JsonObject& object)>;

struct SalvagedPiece {
  std::size_t begin = 0, end = 0;  // in the line
  std::string_view damage;         // why it cannot be read; empty: it is a record
};

// The records on the line and the damaged bytes between them, in order. White space before a piece belongs to no piece.
// Finds: several objects on one line, an object after or before NUL bytes or a torn record. `may_go_on`: the line has
// no break yet; a record at its end that is torn is then not searched for others.
std::vector<SalvagedPiece> SalvageLine(std::string_view line, const IsRecord& is_record, bool may_go_on = false);

inline constexpr std::string_view kTextReplaced = "invalid UTF-8 or a lone surrogate was replaced by U+FFFD";

inline constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

// The line with U+FFFD in place of invalid UTF-8 and of escaped lone surrogates. Nothing if there are none, or if the
// result is still not one JSON object.
std::optional<std::string> RepairText(std::string_view line);

}  // namespace turnlog
