// JSON text as text: where values end, and that they are valid to the last letter. Nothing is converted, so numbers may
// have any size. None of this checks UTF-8, which is cheaper to do once for a whole text (base/utf8.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/vectors.h"

namespace turnlog {

struct JsonFault {
  std::size_t byte;  // of the text
  const char* what;
};

using JsonEnd = std::expected<std::size_t, JsonFault>;

inline constexpr const char* kJsonEndsEarly = "the text ends within a value";
inline constexpr const char* kJsonStringEndsEarly = "string without an end";

// Whether a text is known to be valid: then only the ends of its values are looked for.
enum class JsonTrust : bool { kChecked, kValid };

// The end of the white space that begins at text[begin].
std::size_t SkipJsonSpace(std::string_view text, std::size_t begin);

// The text without the white space around it; within it also if nothing is left.
std::string_view TrimJsonSpace(std::string_view text);

// The first quote, backslash or control character of text from `begin` on; text.size() if there is none.
std::size_t FindJsonSpecial(std::string_view text, std::size_t begin);

// The end of the string whose opening quote is text[begin].
JsonEnd ScanJsonString(std::string_view text, std::size_t begin, Vectors most = Vectors::kAvx512);

// The end of the string, number or word that begins at text[begin].
JsonEnd ScanJsonScalar(std::string_view text, std::size_t begin);

// From the quote of a key at text[begin] to the first letter of its value; `key_end` gets the key's end.
JsonEnd ScanJsonKey(std::string_view text, std::size_t begin, std::size_t& key_end);

// The end of the value that begins at text[begin], which may be `depth` arrays and objects deep already. To look at
// what is in it, see json_visitor.h.
JsonEnd ScanJson(std::string_view text, std::size_t begin = 0, int depth = 0);

// What is wrong with `text` as one JSON value with optional white space around it, UTF-8 included; none if it is valid.
std::optional<JsonFault> FindJsonFault(std::string_view text);

// The text that a valid string token (quotes included) stands for.
std::string UnescapeJson(std::string_view token);

struct UnicodeEscape {
  std::size_t length = 0;
  std::uint32_t code = 0;
};
// The escape "\uXXXX" at text[begin], or two of them that are a surrogate pair; none if there is no such one.
std::optional<UnicodeEscape> ReadUnicodeEscape(std::string_view text, std::size_t begin);

}  // namespace turnlog
