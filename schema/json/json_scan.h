// JSON text as text: where values end, and that they are valid to the last letter. Nothing is converted, so numbers may
// have any size. None of this checks UTF-8, which is cheaper to do once for a whole text (base/utf8.h).
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

struct JsonFault {
  std::size_t byte;  // of the text
  const char* what;
};

using JsonEnd = std::expected<std::size_t, JsonFault>;

// The end of the white space that begins at text[begin].
std::size_t SkipJsonSpace(std::string_view text, std::size_t begin);

// The first quote, backslash or control character of text at or behind `begin`; text.size() if there is none.
std::size_t FindJsonSpecial(std::string_view text, std::size_t begin);

// The end of the string whose opening quote is text[begin].
JsonEnd ScanJsonString(std::string_view text, std::size_t begin);

// The end of the value that begins at text[begin], which may lie `depth` arrays and objects deep already.
JsonEnd ScanJson(std::string_view text, std::size_t begin = 0, int depth = 0);

// What is wrong with `text` as one JSON value with optional white space around it, UTF-8 included; none if it is valid.
std::optional<JsonFault> FindJsonFault(std::string_view text);

// The text that a valid string token (quotes included) stands for.
std::string UnescapeJson(std::string_view token);

// Walks the fields of the object that begins at text[begin], checking everything on the way.
class JsonFields {
 public:
  explicit JsonFields(std::string_view text, std::size_t begin = 0, int depth = 0);

  // True: `key()` and `value()` are the next field. False: that was all, and the object ends at `end()`.
  std::expected<bool, JsonFault> Next();

  std::string_view key() const { return key_; }  // the token, quotes and escapes included
  std::string_view value() const { return value_; }
  std::size_t end() const { return position_; }
  bool KeyIs(std::string_view name) const;

 private:
  std::string_view text_;
  std::size_t position_;
  int depth_;
  bool first_ = true;
  std::string_view key_, value_;
};

}  // namespace turnlog
