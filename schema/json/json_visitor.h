// The one walk over raw JSON text, for everything that looks inside of JSON without converting it. It checks every
// letter but for UTF-8, unless the text is known to be valid, and calls a visitor for what it finds, in the order of
// the text. No recursion.
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

#include "base/try.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_string.h"
#include "turnlog/types.h"

namespace turnlog {

// What VisitJson calls; a visitor hides what it needs. `at` is where in the text the thing begins.
struct JsonVisitor {
  void Open(std::size_t /*at*/, bool /*object*/) {}  // or an array
  void Close(std::size_t /*at*/, bool /*object*/) {}
  void Key(std::size_t /*at*/, std::string_view /*token*/) {}     // with quotes and escapes
  void Scalar(std::size_t /*at*/, std::string_view /*token*/) {}  // a string, number or word
};

template <class Visitor, JsonTrust trust>
class JsonWalk {
 public:
  JsonWalk(std::string_view text, int depth, Visitor& visitor) : text_(text), outer_depth_(depth), visitor_(visitor) {}

  JsonEnd Run(std::size_t at) {
    do {
      at = TURNLOG_TRY(Value(at));
      at = TURNLOG_TRY(AfterValue(at));
    } while (open_ > 0);
    return at;
  }

 private:
  // Takes what begins at `at`: a scalar, an empty container, or the brackets (and key) down to the first of those.
  JsonEnd Value(std::size_t at) {
    while (ByteAt(at) == '{' || ByteAt(at) == '[') {
      if (outer_depth_ + open_ >= kMaxJsonDepth) return std::unexpected(JsonFault{at, "nested too deep"});
      const bool object = text_[at] == '{';
      visitor_.Open(at, object);
      at = SkipJsonSpace(text_, at + 1);
      if (ByteAt(at) == (object ? '}' : ']')) return Close(at, object);
      is_object_[static_cast<std::size_t>(open_++)] = object;
      if (object) at = TURNLOG_TRY(Key(at));
    }
    const std::size_t end = TURNLOG_TRY(EndOfScalar(at));
    visitor_.Scalar(at, text_.substr(at, end - at));
    return end;
  }

  JsonEnd EndOfScalar(std::size_t at) const {
    if (trust == JsonTrust::kChecked) return ScanJsonScalar(text_, at);
    const std::size_t end = FindJsonEnd(text_, at);
    if (end > text_.size() || end == at) return std::unexpected(JsonFault{at, kJsonEndsEarly});
    return end;
  }

  // Closes what ends here and goes on to the next value, if anything is still open.
  JsonEnd AfterValue(std::size_t at) {
    while (open_ > 0) {
      at = SkipJsonSpace(text_, at);
      const bool object = is_object_[static_cast<std::size_t>(open_ - 1)];
      if (ByteAt(at) == ',') {
        at = SkipJsonSpace(text_, at + 1);
        return object ? Key(at) : JsonEnd(at);
      }
      if (ByteAt(at) != (object ? '}' : ']')) return std::unexpected(MissingComma(at, object));
      at = Close(at, object);
      --open_;
    }
    return at;
  }

  JsonEnd Key(std::size_t at) {
    std::size_t end = 0;
    const std::size_t value = TURNLOG_TRY(ScanJsonKey(text_, at, end));
    visitor_.Key(at, text_.substr(at, end - at));
    return value;
  }

  std::size_t Close(std::size_t at, bool object) {
    visitor_.Close(at, object);
    return at + 1;
  }

  JsonFault MissingComma(std::size_t at, bool object) const {
    if (at >= text_.size()) return {at, kJsonEndsEarly};
    return {at, object ? "expected ',' or '}'" : "expected ',' or ']'"};
  }

  char ByteAt(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  std::string_view text_;
  int outer_depth_;
  Visitor& visitor_;
  int open_ = 0;
  std::bitset<2 * kMaxJsonDepth> is_object_;
};

// The end of the value that begins at text[begin], which may be `depth` arrays and objects deep already.
// REQUIRES: `depth` is -kMaxJsonDepth or more.
template <class Visitor>
JsonEnd VisitJson(std::string_view text, std::size_t begin, int depth, Visitor& visitor) {
  return JsonWalk<Visitor, JsonTrust::kChecked>(text, depth, visitor).Run(begin);
}

// The same of a whole text that is known to be valid. It may be deeper than an event's values may be, because it may be
// an event's own form around them. `trust`: whether it is checked nevertheless.
template <class Visitor>
JsonEnd VisitValidJson(std::string_view json, Visitor& visitor, JsonTrust trust = JsonTrust::kChecked) {
  const std::size_t begin = SkipJsonSpace(json, 0);
  if (trust == JsonTrust::kChecked) return VisitJson(json, begin, -kMaxJsonDepth, visitor);
  return JsonWalk<Visitor, JsonTrust::kValid>(json, -kMaxJsonDepth, visitor).Run(begin);
}

}  // namespace turnlog
