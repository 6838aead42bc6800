// Undoes what splits a value where it is shown: terminals and mails wrap lines, editors and quotes put something in
// front of each line, terminals color parts of it, and copies contain invisible characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

enum class Blanks : std::uint8_t { kKept, kLeftOut };

// The text without line breaks, the blanks around them and what quotes or numbers the next line ("> ", or a number and
// an arrow), without terminal sequences and without invisible characters. Nothing if it has none of these. kLeftOut:
// without any blanks, because a line break may stand for one.
std::optional<DecodedText> JoinLines(std::string_view text, Blanks blanks = Blanks::kKept);

}  // namespace turnlog
