#include "sanitize/secrets/secret_matcher.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sanitize/redaction/redacted_text.h"
#include "sanitize/secrets/base64_runs.h"
#include "sanitize/secrets/encoded_forms.h"
#include "sanitize/secrets/escapes.h"
#include "sanitize/secrets/joined_text.h"
#include "sanitize/secrets/key_block.h"
#include "sanitize/secrets/layers.h"
#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

constexpr std::size_t kMinBytes = 6;
constexpr std::size_t kMinDigits = 8;  // for values of digits only: shorter ones are parts of times and sizes

// Common values, in lower case, with a space at both ends of each; also the names of fields and kinds, which occur in
// every event.
constexpr std::string_view kCommon =
    " 111111 12345678 123456789 1234567890 123123123 abc123 abcdef abcdefgh account admin123 administrator answer"
    " answered arguments assistant author bearer boolean cancelled changeme chat_request chat_response client"
    " compaction config config_delta content context conversation default denied description disabled enabled event_id"
    " example exclusive function inquiry inquiry_request inquiry_response invalid is_error letmein localhost message"
    " metadata multi_select nothing number object options outcome passphrase passw0rd password password1 password123"
    " persistence private public question qwerty qwerty123 qwertyuiop reason reasoning redacted redaction remote"
    " repair request responder response schema secret secret123 select server source string system test1234 test123"
    " testing timestamp tool_call tool_call_request tool_call_response turn_start undefined unknown unspecified"
    " user_name username welcome ";

bool IsCommon(std::string_view value) {
  constexpr std::size_t kLongest = 32;
  if (value.size() > kLongest) return false;
  std::string word;
  word.reserve(value.size() + 2);  // so that no unwiped copy is left
  word.push_back(' ');
  for (const char letter : value)
    word.push_back(letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter);
  word.push_back(' ');
  const bool common = !value.contains(' ') && kCommon.contains(word);
  Wipe(word);
  return common;
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Lines of a key block are searched for singly: elsewhere the block may be wrapped or indented differently.
bool IsKeyLine(std::string_view line) {
  constexpr std::size_t kMinLetters = 32;
  constexpr std::string_view kOpenSsh = "b3BlbnNzaC1rZXktdjEA";  // "openssh-key-v1", a line that many keys have
  return line.size() >= kMinLetters && !line.starts_with(kOpenSsh) &&
         FindBase64Runs(line, {}) == std::vector<TextSpan>{{0, line.size()}};
}

constexpr std::string_view kBeginKey = "-----BEGIN ", kDashes = "-----";

// The letters of the key block whose first line begins at text[begin].
struct KeyLetters {
  TextSpan span;
  SecretString letters;
};

std::optional<KeyLetters> ReadKey(std::string_view text, std::size_t begin) {
  const std::size_t dashes = text.find(kDashes, begin + kBeginKey.size());
  if (dashes == std::string_view::npos) return std::nullopt;
  const auto block = ReadKeyBlock(text, {begin, dashes + kDashes.size()});
  if (!block) return std::nullopt;
  KeyLetters key{block->span, {}};
  key.letters.Reserve(block->key.size());
  for (const char letter : block->key.view()) {
    if (letter != '\n') key.letters.Append(letter);
  }
  return key;
}

}  // namespace

std::optional<std::string_view> WhyNotSearchable(std::string_view value) {
  if (value.size() < kMinBytes) return "shorter than 6 bytes";
  if (value.find_first_not_of(value.front()) == std::string_view::npos) return "one character repeated";
  if (value.size() < kMinDigits && std::ranges::all_of(value, IsDigit)) return "fewer than 8 digits";
  if (kRedactionMark.contains(value) || value.contains(kRedactionMark)) return "redacted already";
  if (IsCommon(value)) return "a common word";
  return std::nullopt;
}

SecretMatcher::SecretMatcher(std::span<const SecretString> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = Trim(values[i].view());
    if (WhyNotSearchable(value)) continue;
    AddForms(value, i);
    layers_.ascii_only = layers_.ascii_only && IsAscii(value);
  }
  std::vector<std::string_view> literals;
  literals.reserve(forms_.size());
  for (const SecretString& form : forms_) literals.push_back(form.view());
  finder_.emplace(literals);
  escaped_joins_.emplace(grams_);
  forms_.clear();
}

void SecretMatcher::Add(std::string_view form, std::size_t value, bool is_number) {
  if (WhyNotSearchable(form)) return;
  forms_.emplace_back(form);
  value_of_.push_back(value);
  is_number_.push_back(is_number);
  layers_.min_bytes = std::min(layers_.min_bytes, form.size());
  constexpr std::string_view kPlain = "\\\"'\b\f\n\r\t";  // what plain escapes stand for
  if (form.find_first_of(kPlain) != std::string_view::npos) layers_.plain_escapes_at_hits = false;
  constexpr std::size_t kGrowth = 4;  // in base64 twice, and by line breaks
  layers_.around = std::max(layers_.around, kGrowth * form.size());
}

void SecretMatcher::AddText(std::string_view form, std::size_t value) {
  Add(form, value, std::ranges::all_of(form, IsDigit));
  grams_.Add(form);
}

void SecretMatcher::AddForms(std::string_view text, std::size_t value) {
  AddText(text, value);
  AddLines(text, value);
  AddKey(text);
  AddEncodings(text, value);
  if (UndoEscapes(text)) layers_.kinds_apart = true, layers_.plain_escapes_at_hits = false;
}

// A text of several words or lines: joined, and each line of a key.
void SecretMatcher::AddLines(std::string_view text, std::size_t value) {
  constexpr std::size_t kMinJoined = 16;  // shorter words together may be a common one
  if (const auto joined = JoinLines(text)) AddText(joined->text(), value);
  if (const auto joined = JoinLines(text, Blanks::kLeftOut); joined && joined->size() >= kMinJoined) {
    layers_.without_blanks = true;
    AddText(joined->text(), value);
  }
  for (std::size_t begin = 0; text.contains('\n') && begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (const auto line = Trim(text.substr(begin, end - begin)); IsKeyLine(line)) AddText(line, value);
    begin = end + 1;
  }
}

void SecretMatcher::AddKey(std::string_view text) {
  if (!text.starts_with(kBeginKey)) return;
  if (auto key = ReadKey(text, 0)) keys_.push_back(std::move(key->letters));
  layers_.plain_escapes_at_hits = false;  // a whole key has line breaks
}

// The block that the line is in, if that is one of the keys: with its first and its last line, which are not searched
// for, and with what a diff or a program puts between its lines.
std::optional<TextSpan> SecretMatcher::WholeKey(std::string_view text, TextSpan line) const {
  if (keys_.empty()) return std::nullopt;
  const std::size_t from = line.begin - std::min(line.begin, kMaxKeyBlock);
  const std::size_t begin = text.substr(from, line.begin - from).rfind(kBeginKey);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto key = ReadKey(text, from + begin);
  if (!key || key->span.end < line.end || std::ranges::find(keys_, key->letters) == keys_.end()) {
    return std::nullopt;
  }
  return key->span;
}

void SecretMatcher::AddEncodings(std::string_view text, std::size_t value) {
  for (const SecretString& form : TextForms(text)) AddText(form.view(), value);
  // Hexadecimal digits without a letter are no number.
  for (const SecretString& form : ByteForms(text)) Add(form.view(), value, false);
}

// A number is not found in a longer one, which is another number: an offset, a time, an id.
bool SecretMatcher::IsWhole(std::size_t form, std::string_view text, TextSpan span) const {
  if (!is_number_[form]) return true;
  return (span.begin == 0 || !IsDigit(text[span.begin - 1])) && (span.end == text.size() || !IsDigit(text[span.end]));
}

LayerOptions SecretMatcher::Options() const {
  LayerOptions options = layers_;
  options.grams = &grams_;  // not kept: this object may be moved
  options.escaped_joins = &*escaped_joins_;
  return options;
}

std::vector<TextSpan> SecretMatcher::Find(std::string_view text) const {
  std::vector<TextSpan> spans;
  if (empty()) return spans;
  ForEachLayer(text, Options(), [&](const Layer& layer) {
    TextSpan key;  // the last one that was found
    finder_->ForEach(layer.text(), [&](std::size_t form, std::size_t begin, std::size_t end) {
      if (!IsWhole(form, layer.text(), {begin, end})) return true;
      if (key.begin <= begin && end <= key.end) return false;
      key = WholeKey(layer.text(), {begin, end}).value_or(TextSpan{begin, end});
      spans.push_back(layer.AtBottom(key));
      return false;
    });
  });
  return MergeSpans(std::move(spans));
}

std::vector<std::size_t> SecretMatcher::FindValues(std::string_view text) const {
  std::vector<bool> found(value_of_.size());
  if (empty()) return {};
  ForEachLayer(text, Options(), [&](const Layer& layer) {
    finder_->ForEach(layer.text(), [&](std::size_t form, std::size_t begin, std::size_t end) {
      if (IsWhole(form, layer.text(), {begin, end})) found[form] = true;
      return true;
    });
  });
  std::vector<std::size_t> values;
  for (std::size_t form = 0; form < found.size(); ++form) {
    if (found[form]) values.push_back(value_of_[form]);
  }
  const auto repeated = std::ranges::unique(values);  // forms are in the order of their values
  values.erase(repeated.begin(), repeated.end());
  return values;
}

}  // namespace turnlog
