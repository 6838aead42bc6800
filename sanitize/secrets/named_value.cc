#include "sanitize/secrets/named_value.h"

#include <algorithm>
#include <array>

#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

constexpr std::string_view kBar = "\u2502";  // of a table that a terminal shows
constexpr std::size_t kMaxName = 64, kMaxBlanks = 40, kMaxType = 40, kMaxValue = std::size_t{1} << 16;

bool IsAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool IsNameCharacter(char c) { return IsAlnum(c) || c == '_' || c == '-' || c == '.'; }
bool IsTypeCharacter(char c) { return IsAlnum(c) || std::string_view("_.&*<>[]?| ").contains(c); }
bool IsQuote(char c) { return c == '"' || c == '\'' || c == '`'; }

class Reader {
 public:
  Reader(std::string_view text, TextSpan part) : text_(text), name_(part), at_(part.end) {}

  std::optional<NamedValue> Read() {
    FindName();
    if (!SkipOperator() || !SkipOpening()) return std::nullopt;
    const TextSpan value = quote_ != '\0' ? Quoted() : Bare();
    if (value.begin >= value.end) return std::nullopt;
    return NamedValue{name_, value, form_ == ValueForm::kAssigned && IsSetting(value) ? ValueForm::kSetting : form_};
  }

 private:
  char Peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char Before(std::size_t at) const { return at > 0 ? text_[at - 1] : '\0'; }
  bool Skip(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  template <class Predicate>
  std::size_t SkipAll(Predicate predicate, std::size_t limit) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && at_ - begin < limit && predicate(text_[at_])) ++at_;
    return at_ - begin;
  }
  bool SkipSpaces() {
    return SkipAll([](char c) { return IsBlank(c) || IsLineBreak(c); }, kMaxBlanks) > 0;
  }

  void FindName() {
    while (name_.size() < kMaxName && IsNameCharacter(Before(name_.begin))) --name_.begin;
    if (text_.substr(0, name_.begin).ends_with("::")) name_.begin -= 2;  // a type
    SkipAll(IsNameCharacter, kMaxName);
    while (at_ > name_.end && !IsAlnum(text_[at_ - 1])) --at_;
    name_.end = at_;
  }

  // What a terminal colors its names, operators and values with.
  void SkipColors() {
    constexpr std::size_t kLongest = 20;
    while (Peek() == '\x1b' && Peek(1) == '[') {
      const std::size_t end = text_.substr(at_, kLongest).find_first_not_of("0123456789;", 2);
      if (end == std::string_view::npos || text_[at_ + end] != 'm') return;
      at_ += end + 1;
    }
  }

  // What closes the notation of the name: quotes, brackets, emphasis.
  void SkipClosing() {
    const bool in_parentheses = Before(name_.begin) == '(';
    SkipColors();
    SkipAll([&](char c) { return IsQuote(c) || std::string_view("\\]*").contains(c) || (c == ')' && !in_parentheses); },
            5);
    SkipColors();
    if (Peek() == '[') {  // char name[64]
      std::size_t end = at_ + 1;
      while (end < text_.size() && IsAlnum(text_[end]) && end - at_ < 8) ++end;
      if (end < text_.size() && text_[end] == ']') at_ = end + 1;
    }
  }

  bool Form(ValueForm form) { return form_ = form, true; }

  bool SkipOperator() {
    SkipClosing();
    const std::size_t end = at_;
    const bool blanks = SkipAll(IsBlank, kMaxBlanks) > 0;
    switch (Peek()) {
      case '=':
        return SkipEquals();
      case ':':
        return SkipColons();
      case '?':
        SkipAll([](char c) { return c == '?'; }, 2);
        if (Peek() == ':') return SkipColons();
        return Peek() == '=' ? SkipEquals() : text_.substr(0, at_).ends_with("??");
      case '+':
      case '.':
        ++at_;
        return Peek() == '=' && SkipEquals();
      case '|':
        if (Skip("||")) return Peek() != '=' || SkipEquals();
        return ++at_, Form(ValueForm::kColumn);
      case kBar[0]:
        return Skip(kBar) && Form(ValueForm::kColumn);
      case '>':
        return (IsElement() || IsNameAttribute()) && (++at_, SkipSpaces(), Form(ValueForm::kElement));
      case '<':
        if (Skip("<-")) return Form(ValueForm::kAssigned);  // R
        return SkipTags();
      case '!':
        return ++at_, must_quote_ = true, Peek() == '=' && SkipEquals();
      case '{':
        return SkipDefault();
      case ',':
        return ++at_, SkipArgument();
      case '(':
        return IsSetter() && (++at_, must_quote_ = true, Form(ValueForm::kArgument));
      case '\n':
      case '\r':
        return SkipValueKey();
      default:
        return blanks ? SkipWords(end) : false;
    }
  }

  bool SkipEquals() {
    SkipAll([](char c) { return c == '='; }, 3);
    if (Peek() == '>') ++at_;
    SkipAll(IsBlank, kMaxBlanks);
    query_ = Before(name_.begin) == '?' || Before(name_.begin) == '&' || Before(name_.begin) == ';';
    return Form(ValueForm::kAssigned);
  }

  bool SkipColons() {
    const bool scope = SkipAll([](char c) { return c == ':'; }, 3) == 2;  // Token::next2
    if (scope && (IsAlnum(Peek()) || Peek() == '_')) return false;
    SkipAll([](char c) { return c == '*'; }, 2);
    if (Peek() == '=') return SkipEquals();
    if (SkipType()) return SkipEquals();
    SkipAll(IsBlank, kMaxBlanks);
    if (Peek() == '|' || Peek() == '>') {  // a block of YAML
      ++at_;
      SkipAll([](char c) { return c == '-' || c == '+' || (c >= '1' && c <= '9'); }, 2);
      return IsLineBreak(Peek()) && SkipSpaces();
    }
    if (IsLineBreak(Peek())) {
      SkipSpaces();
      if (!IsQuote(Peek())) return Form(ValueForm::kProse);  // your new token:
    }
    return Form(ValueForm::kAssigned);
  }

  // The type in `name: Type = value` and `name Type = value`, up to the `=`.
  bool SkipType() {
    const std::size_t begin = at_;
    SkipAll(IsTypeCharacter, kMaxType);
    const bool is_type = at_ > begin && Peek() == '=' && IsBlank(Before(at_)) &&
                         std::ranges::any_of(text_.substr(begin, at_ - begin), IsAlnum);
    if (!is_type) at_ = begin;
    return is_type;
  }

  bool IsElement() const {
    std::size_t begin = name_.begin;
    while (begin > 0 && name_.begin - begin < kMaxName &&
           (IsNameCharacter(text_[begin - 1]) || text_[begin - 1] == ':'))
      --begin;
    return Before(begin) == '<';
  }

  bool IsSetter() const {
    const std::string_view name = text_.substr(name_.begin, name_.size());
    const std::string_view method = name.substr(name.rfind('.') + 1);
    const bool in_chain = name.starts_with('.') && method.size() + 1 == name.size();  // builder().apiKey("v")
    return in_chain || method.starts_with("set") || method.starts_with("Set") || method.starts_with("with");
  }

  // <property name="api_key">v</property>
  bool IsNameAttribute() const {
    const std::string_view before = text_.substr(0, name_.begin);
    return before.ends_with(" name=\"") || before.ends_with(" key=\"");
  }

  // variable "api_key" { default = "v" }
  bool SkipDefault() {
    constexpr std::size_t kLongest = 256;
    constexpr std::string_view kDefault = "default";
    const std::string_view block = text_.substr(at_, kLongest);
    const std::size_t found = block.find(kDefault);
    if (!IsQuote(Before(name_.begin)) || found == std::string_view::npos || block.find('}') < found) return false;
    at_ += found + kDefault.size();
    SkipAll(IsBlank, kMaxBlanks);
    return Peek() == '=' && SkipEquals();
  }

  // </td><td>
  bool SkipTags() {
    bool any = false;
    for (int tags = 0; tags < 4 && Peek() == '<'; ++tags, any = true) {
      const std::size_t end = text_.substr(at_, kMaxName).find('>');
      if (end == std::string_view::npos) return false;
      at_ += end + 1;
      SkipSpaces();
    }
    return any && Form(ValueForm::kColumn);
  }

  bool SkipArgument() {
    const std::size_t begin = at_;
    SkipSpaces();
    if (SkipValueKey()) return true;
    must_quote_ = at_ != begin;  // otherwise it is a line of comma-separated values
    return Form(must_quote_ ? ValueForm::kArgument : ValueForm::kColumn);
  }

  // `value: `, "value": or value= after a name that is itself a value.
  bool SkipValueKey() {
    const std::size_t begin = at_;
    SkipSpaces();
    if (IsQuote(Peek()) || Peek() == '\\') SkipAll([](char c) { return IsQuote(c) || c == '\\'; }, 2);
    for (const std::string_view key : {"value", "Value", "content=", "val"}) {
      if (!Skip(key)) continue;
      if (key.ends_with('=')) return Form(ValueForm::kAssigned);
      SkipAll([](char c) { return IsQuote(c) || IsBlank(c) || c == '\\'; }, 4);
      if (Peek() == '=' || Peek() == ':') return ++at_, SkipAll(IsBlank, 4), Form(ValueForm::kAssigned);
      break;
    }
    at_ = begin;
    return false;
  }

  // What follows the name after blanks only.
  bool SkipWords(std::size_t end_of_name) {
    if (IsQuote(Peek()) || (Peek() == '\\' && IsQuote(Peek(1)))) return Form(ValueForm::kAssigned);
    if (SkipValueKey()) return true;
    for (const std::string_view flag : {"--value", "--body"}) {  // of az, of gh
      if (Skip(flag))
        return SkipAll([](char c) { return c == '=' || IsBlank(c); }, 2) > 0 && Form(ValueForm::kAssigned);
    }
    if (SkipType()) return SkipEquals();
    if (text_[name_.begin] == '-') return Peek() != '-' && Form(ValueForm::kFlag);
    if (IsQuote(text_[end_of_name - 1])) return false;  // the end of a quotation
    const std::string_view before = text_.substr(0, name_.begin);
    if (before.ends_with("ENV ") || before.ends_with("ARG ")) return Form(ValueForm::kAssigned);  // a Dockerfile
    for (const std::string_view word : {"is ", "is: ", "was ", "to ", "as ", "value ", "lautet ", "- "}) {
      if (Skip(word)) break;
    }
    return Form(ValueForm::kProse);
  }

  // Blanks, a scheme of authorization, brackets, and an opening quote.
  bool SkipOpening() {
    SkipColors();
    if (form_ != ValueForm::kElement) SkipAll(IsBlank, kMaxBlanks);
    SkipColors();
    if (Skip("[[")) {  // a string of Lua
      quote_ = ']';
      return true;
    }
    SkipBracket();
    SkipQuote();
    SkipColors();
    SkipScheme();
    if (quote_ == '\0') SkipQuote();
    return quote_ != '\0' || !must_quote_;
  }

  void SkipBracket() {
    const bool bracket = Peek() == '(' || Peek() == '[' || Peek() == '{';
    if (bracket && (IsQuote(Peek(1)) || Peek(1) == '\\')) ++at_;
  }

  void SkipQuote() {
    std::size_t at = at_;
    if (at + 1 < text_.size() && std::string_view("bfrLu@$").contains(text_[at]) && IsQuote(text_[at + 1])) ++at;
    while (at < text_.size() && text_[at] == '\\') ++at;
    if (at >= text_.size() || !IsQuote(text_[at])) return;
    quote_ = text_[at];
    at_ = at + 1;
    if (Peek() == quote_ && Peek(1) == quote_) at_ += 2;
  }

  void SkipScheme() {
    static constexpr std::array<std::string_view, 8> kSchemes = {"bearer ",  "basic ",  "token ",     "bot ",
                                                                 "api-key ", "apikey ", "api-token ", "key "};
    for (const std::string_view scheme : kSchemes) {
      const std::string_view here = text_.substr(at_, scheme.size());
      if (std::ranges::equal(here, scheme, {}, [](char c) { return IsAlnum(c) ? static_cast<char>(c | 0x20) : c; })) {
        at_ += scheme.size();
        return;
      }
    }
  }

  // Up to the closing quote, on one line.
  TextSpan Quoted() const {
    std::size_t end = at_;
    const std::size_t limit = std::min(text_.size(), at_ + kMaxValue);
    while (end < limit && text_[end] != quote_ && !IsLineBreak(text_[end])) ++end;
    while (end > at_ && text_[end - 1] == '\\') --end;
    return {at_, end};
  }

  bool IsSetting(TextSpan value) const {
    const char before = Before(name_.begin), after = After(value.end);
    if (IsFlag()) return true;
    if (before == '"') return quote_ == '"' && text_.substr(name_.end, 2) == "\":";
    if (before == ';') return after == ';' || IsQuote(after);
    return IsBeforeCommand(value.end) || (BeginsLine() && EndsLine(value.end));
  }

  // --password=v, --password 'v'
  bool IsFlag() const {
    if (text_[name_.begin] != '-') return false;
    const char operation = After(name_.end), next = After(name_.end + 1);
    return operation == '=' ? !IsBlank(next) && next != '>' : operation == ' ' && IsQuote(next);
  }

  // PASSWORD=v psql
  bool IsBeforeCommand(std::size_t end) const {
    const char before = Before(name_.begin);
    const auto name = text_.substr(name_.begin, name_.size());
    return After(name_.end) == '=' && After(end + (quote_ != '\0' ? 1 : 0)) == ' ' &&
           (IsBlank(before) || IsLineBreak(before) || before == '\0') &&
           std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  }

  char After(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // But for the numbers and signs that tools show lines with, and for what exports a variable.
  bool BeginsLine() const {
    constexpr std::size_t kLongest = 40;
    const std::size_t from = name_.begin - std::min(name_.begin, kLongest);
    std::string_view before = text_.substr(from, name_.begin - from);
    before.remove_prefix(before.find_last_of("\r\n") + 1);  // npos + 1 is 0
    for (const std::string_view word : {"export ", "set ", "env ", "ENV ", "$env:"}) {
      if (before.ends_with(word)) before.remove_suffix(word.size());
    }
    return std::ranges::none_of(before, [](char c) {
      return IsQuote(c) || std::string_view("_;(){}[].,#/*").contains(c) || (IsAlnum(c) && !(c >= '0' && c <= '9'));
    });
  }

  bool EndsLine(std::size_t at) const {
    if (quote_ != '\0' && After(at) == quote_) ++at;
    if (After(at) == ',') ++at;
    return After(at) == '\0' || IsLineBreak(After(at));
  }

  // Up to the next tag.
  TextSpan Content() const {
    std::size_t end = std::min({text_.size(), at_ + kMaxValue, text_.find('<', at_)});
    while (end > at_ && (IsBlank(text_[end - 1]) || IsLineBreak(text_[end - 1]))) --end;
    return {at_, end};
  }

  TextSpan Bare() const {
    if (form_ == ValueForm::kElement) return Content();
    std::size_t end = at_;
    const std::size_t limit = std::min(text_.size(), at_ + kMaxValue);
    const auto ends = [&](char c) {
      return static_cast<unsigned char>(c) <= ' ' || IsQuote(c) || c == '<' || c == '>' ||
             (query_ && (c == '&' || c == '#'));
    };
    while (end < limit && !ends(text_[end])) ++end;
    if (!IsSetting(end) || HasOtherSetting({at_, end})) {
      const std::size_t first = text_.substr(at_, end - at_).find_first_of(",;)}]|\\");
      if (first != std::string_view::npos) end = at_ + first;
    }
    while (end > at_ && std::string_view(",;.:").contains(text_[end - 1])) --end;
    return {at_, end};
  }

  // `v;other=1`
  bool HasOtherSetting(TextSpan value) const {
    const std::string_view text = text_.substr(value.begin, value.size());
    const std::size_t semicolon = text.find(';'), equals = text.find('=', semicolon);
    return equals != std::string_view::npos && equals > semicolon + 1 &&
           std::ranges::all_of(text.substr(semicolon + 1, equals - semicolon - 1), IsNameCharacter);
  }

  // The name begins a line and the value ends it.
  bool IsSetting(std::size_t end) const {
    if (form_ != ValueForm::kAssigned || query_ || (end < text_.size() && !IsLineBreak(text_[end]))) return false;
    std::size_t begin = name_.begin;
    while (begin > 0 && name_.begin - begin < kMaxBlanks && IsBlank(text_[begin - 1])) --begin;
    return begin == 0 || IsLineBreak(text_[begin - 1]) || text_.substr(0, begin).ends_with("export") ||
           text_.substr(0, begin).ends_with("set");
  }

  const std::string_view text_;
  TextSpan name_;
  std::size_t at_;
  ValueForm form_ = ValueForm::kAssigned;
  char quote_ = '\0';
  bool must_quote_ = false;
  bool query_ = false;
};

}  // namespace

std::optional<NamedValue> ReadNamedValue(std::string_view text, TextSpan part) { return Reader(text, part).Read(); }

}  // namespace turnlog
