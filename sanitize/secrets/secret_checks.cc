#include "sanitize/secrets/secret_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_base64.h"
#include "sanitize/secrets/word_letters.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

enum class Kind { kLower, kUpper, kDigit, kOther };

Kind KindOf(char letter) {
  if (letter >= 'a' && letter <= 'z') return Kind::kLower;
  if (letter >= 'A' && letter <= 'Z') return Kind::kUpper;
  return letter >= '0' && letter <= '9' ? Kind::kDigit : Kind::kOther;
}

// Of a character beyond ASCII, which is a letter in nearly all texts: most of them are translations.
bool IsPartOfCharacter(char byte) { return static_cast<unsigned char>(byte) >= 0x80; }
bool IsPrintable(char letter) { return letter >= ' ' && letter <= '~'; }

bool IsConsonant(char letter) {
  return KindOf(letter) <= Kind::kUpper && !std::string_view("aeiouyAEIOUY").contains(letter);
}

struct Letters {
  std::size_t lower = 0, upper = 0, digits = 0;
  std::size_t numbers = 0;     // runs of digits after a letter
  std::size_t consonants = 0;  // the most in a row
  double pairs = 0;            // of adjacent letters or digits
  double changes = 0;          // pairs of different kinds
};

Letters CountLetters(std::string_view text) {
  Letters letters;
  Kind last = Kind::kOther;
  std::size_t consonants = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Kind kind = KindOf(text[i]);
    if (kind == Kind::kLower) ++letters.lower;
    if (kind == Kind::kUpper) ++letters.upper;
    if (kind == Kind::kDigit) ++letters.digits;
    if (kind != Kind::kOther && last != Kind::kOther) {
      ++letters.pairs;
      if (kind != last) ++letters.changes;
      if (kind == Kind::kDigit && last != Kind::kDigit) ++letters.numbers;
    }
    consonants = IsConsonant(text[i]) ? consonants + 1 : 0;
    letters.consonants = std::max(letters.consonants, consonants);
    last = kind;
  }
  return letters;
}

// Number of letters in possible words: four or more letters with a vowel, all but the first lower case.
double LettersInWords(std::string_view text) {
  constexpr std::size_t kMinWord = 4;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && KindOf(text[end]) == Kind::kLower) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.size() >= kMinWord && word.find_first_of("aeiou") != std::string_view::npos) count += word.size();
    at = end;
  }
  return static_cast<double>(count);
}

// Three or more letters as in words: a vowel, no more than three consonants in a row, and of the rare ones none, or one
// in a long word.
bool IsPronounceable(std::string_view word) {
  constexpr std::size_t kMinWord = 3, kMaxConsonants = 3, kLongWord = 6;
  std::size_t consonants = 0, most = 0;
  for (const char letter : word) most = std::max(most, consonants = IsConsonant(letter) ? consonants + 1 : 0);
  const auto rare =
      std::ranges::count_if(word, [](char letter) { return std::string_view("jqxzJQXZ").contains(letter); });
  return word.size() >= kMinWord && word.find_first_of("aeiouAEIOU") != std::string_view::npos &&
         most <= kMaxConsonants && (rare == 0 || (rare == 1 && word.size() >= kLongWord));
}

// An identifier of words that begin with capitals, and a number or two: `Ed25519PublicKey`, `initSecret_avx512`. Of
// random texts of 16 letters and digits, fewer than two in a thousand look like one, and of longer ones still fewer.
bool IsCamelCase(std::string_view text, const Letters& letters) {
  constexpr std::size_t kMaxNumbers = 2, kMinWords = 2;
  constexpr double kMinInWords = 0.65;  // of the letters
  if (letters.upper == 0 || letters.lower <= 2 * letters.upper || letters.numbers > kMaxNumbers) return false;
  std::size_t words = 0, in_words = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Kind first = KindOf(text[at]);
    const bool begins = first == Kind::kUpper || at == 0 || KindOf(text[at - 1]) >= Kind::kDigit;
    std::size_t end = at + 1;
    while (first <= Kind::kUpper && end < text.size() && KindOf(text[end]) == Kind::kLower) ++end;
    const bool word = begins && IsPronounceable(text.substr(at, end - at));
    words += word ? 1 : 0;
    in_words += word ? end - at : 0;
    at = end;
  }
  return words >= kMinWords &&
         static_cast<double>(in_words) >= kMinInWords * static_cast<double>(letters.lower + letters.upper);
}

bool IsHex(std::string_view text) { return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos; }

// The whole of `text` as base64, and a line break.
DecodedText Decode(std::string_view text) {
  std::vector<TextSpan> runs = {{0, text.size()}};
  return DecodeBase64Runs(text, runs, 0).decoded;
}

bool HasAnyField(std::string_view json, std::initializer_list<std::string_view> names) {
  JsonFields fields(json);
  while (fields.Next().value_or(false)) {
    if (std::ranges::any_of(names, [&](std::string_view name) { return fields.KeyIs(name); })) return true;
  }
  return false;
}

// `hello`, `docker.io`, `host-5000`: lower-case words, and perhaps the number of a port.
bool IsNameOfHost(std::string_view text) {
  const std::size_t port = text.find_last_not_of("0123456789");
  if (port == std::string_view::npos) return false;
  if (text[port] == '-' || text[port] == '.') text = text.substr(0, port);
  const bool lower =
      std::ranges::all_of(text, [](char c) { return KindOf(c) == Kind::kLower || c == '-' || c == '.'; });
  return lower && text.size() < 16 && IsWords(text);
}

bool IsCount(std::string_view digits) {
  return std::string_view("1234567890").starts_with(digits) || std::string_view("0123456789").starts_with(digits);
}

// "password", "xpass", "secret1", "myPassword", "12345": what authors of examples write.
bool IsExamplePassword(std::string_view password) {
  if (IsNameOfHost(password) || IsCount(password)) return true;
  constexpr std::string_view kWords[] = {"bar", "baz", "pass", "passwd", "password", "secret", "test", "sesame"};
  constexpr std::string_view kBefore[] = {"", "my", "our", "your", "the", "some", "user", "new", "old"};
  while (!password.empty() && KindOf(password.back()) >= Kind::kDigit) password.remove_suffix(1);
  std::string word(password);
  std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  const bool example = std::ranges::any_of(kWords, [&](std::string_view each) {
    if (!word.ends_with(each)) return false;
    const std::string_view before = std::string_view(word).substr(0, word.size() - each.size());
    return before.size() == 1 || std::ranges::find(kBefore, before) != std::end(kBefore);
  });
  Wipe(word);
  return example;
}

// `e.host=i.host`, `w:e.username+=w`: an assignment to or of a member.
bool IsMemberAssignment(std::string_view text) {
  const auto in_code = [](char c) { return KindOf(c) != Kind::kOther || std::string_view("._$:+=?!").contains(c); };
  bool member = false;
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    member |= dot > 0 && dot + 1 < text.size() && KindOf(text[dot - 1]) <= Kind::kUpper &&
              KindOf(text[dot + 1]) == Kind::kLower;
  }
  return member && text.contains('=') && !text.ends_with('=') && std::ranges::all_of(text, in_code);
}

// `2.6.0.Final`, `1.10.2-beta3`, `v6.0.0-rc.0`
bool IsVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end);
  return std::ranges::count(number, '.') >= 2 && KindOf(number.front()) == Kind::kDigit &&
         std::ranges::all_of(text.substr(end),
                             [](char c) { return KindOf(c) != Kind::kOther || c == '-' || c == '.' || c == '_'; }) &&
         text.size() - end <= 16;
}

bool IsUuid(std::string_view text) {
  return text.size() == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}

// Whether `words`, with a blank around each, have the word.
bool IsWordOf(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    if (words[at - 1] == ' ' && words[at + word.size()] == ' ') return true;
  }
  return false;
}

// As long as one of MD5, SHA-1, SHA-2.
bool IsDigest(std::string_view text) {
  return (text.size() == 32 || text.size() == 40 || text.size() == 64 || text.size() == 128) && IsHex(text);
}

}  // namespace

double Entropy(std::string_view text) {
  std::array<double, 256> counts{};
  for (const char letter : text) ++counts[static_cast<unsigned char>(letter)];
  double bits = 0;
  for (const double count : counts) {
    if (count > 0) bits -= count * std::log2(count / static_cast<double>(text.size()));
  }
  return text.empty() ? 0 : bits / static_cast<double>(text.size());
}

bool IsCountedWord(std::string_view text) {
  constexpr std::string_view kSigns = "!#$%.?@_-";
  constexpr std::size_t kMinWord = 3, kMaxWord = 12, kMinCount = 3, kMaxSigns = 2;
  const std::size_t end = text.find_last_not_of(kSigns) + 1;  // of the count
  if (end == 0 || text.size() - end > kMaxSigns) return false;
  std::size_t begin = end;
  while (begin > 0 && KindOf(text[begin - 1]) == Kind::kDigit) --begin;
  if (end - begin < kMinCount || !IsCount(text.substr(begin, end - begin))) return false;
  std::string_view word = text.substr(0, begin);
  if (!word.empty() && kSigns.contains(word.back())) word.remove_suffix(1);
  const Letters letters = CountLetters(word);
  return word.size() >= kMinWord && word.size() <= kMaxWord && letters.consonants <= 3 && letters.digits <= 1 &&
         letters.upper <= 4 && letters.lower + letters.upper + letters.digits == word.size();
}

bool IsWords(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (KindOf(text[at]) == Kind::kUpper) ++at;
    const std::size_t begin = at;
    while (at < text.size() && KindOf(text[at]) == Kind::kLower) ++at;
    if (at - begin < 2) return false;
    while (at < text.size() && std::string_view("-_.").contains(text[at])) ++at;
  }
  return true;
}

bool IsJwt(std::string_view text) {
  constexpr std::string_view kExample = "John Doe";  // of jwt.io, in many documents
  const std::size_t dot = text.find('.'), second = text.find('.', dot + 1);
  const DecodedText header = Decode(text.substr(0, dot)), claims = Decode(text.substr(dot + 1, second - dot - 1));
  return HasAnyField(header.text(), {"alg"}) &&
         HasAnyField(claims.text(), {"iss", "sub", "aud", "exp", "nbf", "iat", "jti"}) &&
         !claims.text().contains(kExample);
}

bool IsTyped(std::string_view text) {
  constexpr std::string_view kHomeRow = "asdfghjkl", kHexLetters = "abcdef";
  constexpr std::size_t kMinLetters = 10, kOfTen = 8;  // of random letters a third is on that row
  std::size_t row = 0, letters = 0, beyond_hex = 0;
  for (const char letter : text) {
    if (KindOf(letter) == Kind::kUpper) return false;
    if (KindOf(letter) != Kind::kLower) continue;
    ++letters;
    row += kHomeRow.contains(letter) ? 1 : 0;
    beyond_hex += kHexLetters.contains(letter) ? 0 : 1;
  }
  return letters >= kMinLetters && 10 * row >= kOfTen * letters && 3 * beyond_hex >= letters;
}

bool IsMaskedExample(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  constexpr std::string_view kDigits = "013457@$", kLetters = "oleastas";
  constexpr std::string_view kWords[] = {"secret", "sekret", "sekrit", "password", "passwd", "token", "secure"};
  constexpr std::string_view kAround[] = {"", "my", "not", "so", "the", "top", "super", "secret", "test", "oken"};
  if (text.size() > kLongest || text.find_first_of(kDigits) == std::string_view::npos) return false;
  std::string word;
  word.reserve(text.size());  // so that no unwiped copy is left
  for (const char letter : text.substr(0, text.find_last_not_of("!.") + 1)) {
    const std::size_t masked = kDigits.find(letter);
    word += masked != std::string_view::npos ? kLetters[masked] : static_cast<char>(letter | 0x20);
  }
  const bool example = std::ranges::any_of(kWords, [&](std::string_view each) {
    const std::size_t at = word.find(each);
    return at != std::string::npos &&
           std::ranges::find(kAround, std::string_view(word).substr(0, at)) != std::end(kAround) &&
           std::ranges::find(kAround, std::string_view(word).substr(at + each.size())) != std::end(kAround);
  });
  Wipe(word);
  return example;
}

bool IsSentence(std::string_view text) {
  constexpr std::size_t kMinBlanks = 3;
  if (text.size() % 4 != 0) return false;
  const DecodedText decoded = Decode(text);
  const std::string_view words = decoded.text().substr(0, decoded.text().size() - 1);
  const auto in_prose = [](char letter) {
    return KindOf(letter) == Kind::kLower || KindOf(letter) == Kind::kUpper ||
           std::string_view(" .,:'!?").contains(letter);
  };
  return std::ranges::count(words, ' ') >= std::ptrdiff_t{kMinBlanks} && std::ranges::all_of(words, in_prose);
}

bool IsBasicAuth(std::string_view text) {
  const DecodedText decoded = Decode(text);
  const std::string_view pair = decoded.text().substr(0, decoded.text().size() - 1);
  const std::size_t colon = pair.find(':');
  return colon != std::string_view::npos && colon > 0 && pair.size() - colon > 3 &&
         std::ranges::all_of(pair, IsPrintable) && !IsExamplePassword(pair.substr(colon + 1));
}

bool IsExampleBasicAuth(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const DecodedText decoded = Decode(text);
  const std::string_view pair = decoded.text().substr(0, decoded.text().size() - 1);
  const std::size_t colon = pair.find(':');
  return colon != std::string_view::npos && std::ranges::all_of(pair, IsPrintable) &&
         IsExamplePassword(pair.substr(colon + 1));
}

bool IsUserToo(std::string_view before, std::string_view password) {
  const std::string_view user = password.substr(0, password.find('@'));
  if (user.empty() || !before.ends_with(':')) return false;
  before.remove_suffix(1);
  if (!before.ends_with(user)) return false;
  before.remove_suffix(user.size());
  const bool in_url = before.ends_with('/');
  const bool is_whole = before.empty() || KindOf(before.back()) == Kind::kOther;
  const bool small = std::ranges::all_of(user, [](char c) { return KindOf(c) == Kind::kLower; });
  const bool random = small ? user.size() > 5 && !IsLikeWord(user) : LooksRandom(user);
  return !random && (user.size() == password.size() ? is_whole : in_url);
}

bool LooksRandom(std::string_view text) {
  constexpr std::size_t kMinHex = 16;            // shorter ones are also numbers and parts of words
  constexpr std::size_t kMinNumbers = 3;         // names have digits at one or two positions,
  constexpr std::size_t kMaxBetweenNumbers = 7;  // and longer words between them; random text has 2.6 letters
  constexpr std::size_t kMaxConsonants = 5;      // in a row in words, "lengthschema" apart
  constexpr double kMinChanges = 0.25;           // of all pairs; random hexadecimal digits have 0.47
  constexpr double kMaxWords = 0.45;             // of the letters; names have nearly all of them in words
  const Letters letters = CountLetters(text);
  const std::size_t alphabetic = letters.lower + letters.upper;
  if (alphabetic == 0 || IsCamelCase(text, letters) || IsVersion(text)) return false;
  if (text.size() >= kMinHex && letters.digits >= 3 && alphabetic >= 3 && IsHex(text)) return true;
  if (letters.numbers >= kMinNumbers && alphabetic <= kMaxBetweenNumbers * letters.numbers) return true;
  if (letters.digits > 0 && letters.consonants > kMaxConsonants) return true;
  if (letters.changes < kMinChanges * letters.pairs) return false;
  return letters.digits >= 2 || (letters.lower > 0 && letters.upper > 0 &&
                                 LettersInWords(text) <= kMaxWords * static_cast<double>(text.size()));
}

bool LooksOpaque(std::string_view text) { return LooksRandom(text) && !IsUuid(text) && !IsDigest(text); }

bool LooksIssued(std::string_view text) {
  constexpr std::size_t kMinDigits = 15;
  const bool number = text.find_first_not_of("0123456789") == std::string_view::npos;
  return number ? text.size() >= kMinDigits : LooksRandom(text);
}

bool LooksLikeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const DecodedText decoded = Decode(text);
  const std::string_view bytes = decoded.text().substr(0, decoded.text().size() - 1);
  return std::ranges::all_of(bytes, IsPrintable) || LooksRandom(text);
}

bool IsSeedPhrase(std::string_view text) {
  constexpr std::size_t kMinWords = 12;
  constexpr std::string_view kNone = " the and for are was with from which not has its were been ";  // not in the list
  std::size_t words = 0;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size(); ++words) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (IsWordOf(kNone, text.substr(at, end - at))) return false;
    at = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return words >= kMinWords;
}

bool LooksLikePassword(std::string_view text) {
  constexpr std::size_t kMinIdentifier = 16;  // shorter ones are also words that people make passwords of
  constexpr std::string_view kBegins[] = {"/", "./", "../", "$"};
  if (text.find_first_of("(){}[]<>;,\\") != std::string_view::npos) return false;  // code
  if (text.contains("://") || std::ranges::any_of(kBegins, [&](auto each) { return text.starts_with(each); }))
    return false;
  if (text.contains(":?") || IsMemberAssignment(text) || IsVersion(text)) return false;
  const bool is_name = std::ranges::all_of(text, [](char c) { return KindOf(c) != Kind::kOther || c == '_'; });
  if (is_name && text.size() >= kMinIdentifier && IsCamelCase(text, CountLetters(text))) return false;
  if (std::ranges::count(text, '/') > 1 && !LooksRandom(text)) return false;  // a path
  const auto has = [&](Kind kind) { return std::ranges::any_of(text, [=](char c) { return KindOf(c) == kind; }); };
  const auto is_letter = [](char c) { return KindOf(c) <= Kind::kUpper || IsPartOfCharacter(c); };
  const bool letters = std::ranges::any_of(text, is_letter);
  const bool signs = std::ranges::any_of(text, [&](char c) {
    return !is_letter(c) && KindOf(c) != Kind::kDigit && !std::string_view("_.-:/").contains(c);
  });
  return letters && (has(Kind::kDigit) || signs || LooksRandom(text));
}

}  // namespace turnlog
