#include "migrate/records/torn_document.h"

#include <utility>

#include "base/utf8.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

class TornDocument {
 public:
  explicit TornDocument(std::string_view text) : text_(text) {}

  std::optional<ClosedDocument> Close() {
    at_ = SkipJsonSpace(text_, 0);
    if (!Starts('{')) return std::nullopt;
    while (Step()) {
    }
    const bool is_sound = is_whole_ && SkipJsonSpace(text_, at_) == text_.size();
    if (is_sound || !has_value_) return std::nullopt;
    return std::move(closed_);
  }

 private:
  bool Starts(char c) const { return at_ < text_.size() && text_[at_] == c; }

  // Keeps all that was read; `more` closes the last value.
  void Keep(std::size_t end, std::string more = {}) {
    closed_ = {end, std::move(more)};
    for (auto open = open_.rbegin(); open != open_.rend(); ++open) closed_.closing += *open == '{' ? '}' : ']';
  }

  // One value, key, comma or bracket. False: there is no more that can be read.
  bool Step() {
    const bool in_object = open_.ends_with('{'), in_list = open_.ends_with('[');
    if ((in_object && !in_field_ && Starts('}')) || (in_list && Starts(']'))) return End();
    if (in_object && !in_field_) return Key();
    return Starts('{') || Starts('[') ? Open() : Value();
  }

  bool Open() {
    open_ += text_[at_++];
    in_field_ = false;
    Keep(at_);
    at_ = SkipJsonSpace(text_, at_);
    return at_ < text_.size();
  }

  bool End() {
    open_.pop_back();
    ++at_;
    is_whole_ = open_.empty();
    Keep(at_);
    return !is_whole_ && Next();
  }

  // What separates values is kept with the next one only.
  bool Next() {
    has_value_ = true;
    in_field_ = false;
    at_ = SkipJsonSpace(text_, at_);
    if (!Starts(',')) return Starts('}') || Starts(']');
    at_ = SkipJsonSpace(text_, at_ + 1);
    return at_ < text_.size() && !Starts('}') && !Starts(']') && !Starts(',');
  }

  bool Key() {
    std::size_t key_end = 0;
    const JsonEnd value = ScanJsonKey(text_, at_, key_end);
    if (!value || *value >= text_.size()) return false;
    at_ = *value;
    in_field_ = true;
    return true;
  }

  bool Value() {
    const JsonEnd end = Starts('"') ? ScanJsonString(text_, at_) : ScanJsonScalar(text_, at_);
    // A number that ends with the text may have been longer.
    const bool is_cut = end && *end == text_.size() && !Starts('"');
    if (!end && Starts('"')) KeepString();
    if (!end || is_cut) return false;
    at_ = *end;
    Keep(at_);
    return Next();
  }

  // Up to the last whole letter.
  void KeepString() {
    std::size_t end = at_ + 1;
    for (;;) {
      end = FindJsonSpecial(text_, end);
      const std::size_t length = EscapeLength(end);
      if (length == 0) break;
      end += length;
    }
    end = at_ + 1 + Utf8PrefixLength(text_.substr(at_ + 1, end - at_ - 1));
    Keep(end, "\"");
    has_value_ = true;
  }

  // Of the escape at this position; 0: there is no whole one.
  std::size_t EscapeLength(std::size_t at) const {
    if (at + 1 >= text_.size() || text_[at] != '\\') return 0;
    if (text_[at + 1] == 'u') return ReadUnicodeEscape(text_, at).value_or(UnicodeEscape()).length;
    return std::string_view("\"\\/bfnrt").contains(text_[at + 1]) ? 2 : 0;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;       // brackets
  bool in_field_ = false;  // after its key
  bool has_value_ = false, is_whole_ = false;
  ClosedDocument closed_;
};

}  // namespace

std::optional<ClosedDocument> CloseDocument(std::string_view text) { return TornDocument(text).Close(); }

}  // namespace turnlog
