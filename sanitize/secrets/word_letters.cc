#include "sanitize/secrets/word_letters.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sanitize/secrets/secret_checks.h"

namespace turnlog {
namespace {

constexpr std::size_t kLetters = 26;  // also the column of the end of a word
constexpr int kZero = '5';

// How much more often the letter of a column follows that of a row than if all were equally frequent, as the logarithm
// of base 2 and from -5 to 4, plus 5. Counted in 47,000 words of English films (SUBTLEX-US) without the 3,000 most
// frequent ones.
constexpr std::array<std::string_view, kLetters + 1> kFollows{
    "666655555335644626754450210",  // ^
    "056523525047570507674432425",  // a
    "751270006207117006526000404",  // b
    "704060076065007016365000305",  // c
    "521471327104226105505220308",  // d
    "535743323015563417752334317",  // e
    "610076007007007006456000405",  // f
    "610070556005245006515010408",  // g
    "720181017003337105355020506",  // h
    "546564500026586415662501043",  // i
    "800070006000007000008000102",  // j
    "631182037025354204624030507",  // k
    "722472207036316200545200606",  // l
    "751071007002537600505000306",  // m
    "625664726142145111673310207",  // n
    "445533514046676507556452315",  // o
    "710070066006117607555010305",  // p
    "100000001000000001009000002",  // q
    "734572427033446304655320407",  // r
    "515061066034435520675030308",  // s
    "613072067004216006655020417",  // t
    "555554505026672507760201023",  // u
    "700090008000006002003100203",  // v
    "841372167035266205522000206",  // w
    "606073157002205710275112407",  // x
    "534351215004544504632030019",  // y
    "710090017005206101123210566",  // z
};

int Follows(char before, char letter) {
  const std::size_t row = before == '\0' ? 0 : static_cast<std::size_t>(before - 'a') + 1;
  const std::size_t column = letter == '\0' ? kLetters : static_cast<std::size_t>(letter - 'a');
  return kFollows[row][column] - kZero;
}

// The sum over all pairs of letters: how much likelier it is to be a word than random letters.
int Likeness(std::string_view text) {
  int sum = 0;
  char before = '\0';
  for (const char letter : text) sum += Follows(std::exchange(before, letter), letter);
  return sum + Follows(before, '\0');
}

// Without what names of accounts and services begin and end with, and no words do.
std::string_view WithoutAbbreviations(std::string_view text) {
  constexpr std::string_view kFirst[] = {"amqp",  "ftp", "http", "jdbc", "ldap", "mqtt",
                                         "mysql", "pg",  "rpc",  "smtp", "sql"};
  constexpr std::string_view kLast[] = {"db", "js", "mq", "pass", "passwd", "password", "pw", "pwd", "rpc", "sql"};
  for (const std::string_view first : kFirst) {
    if (text.starts_with(first)) text.remove_prefix(first.size());
  }
  for (const std::string_view last : kLast) {
    if (text.ends_with(last)) text.remove_suffix(last.size());
  }
  return text;
}

bool IsExample(std::string_view text) {
  constexpr double kMinEntropy = 2.01;  // "asdfasdf" has 2
  constexpr std::string_view kRuns[] = {"abcd", "asdf", "qwert", "yxcv", "zxcv", "qazwsx"};
  return Entropy(text) < kMinEntropy ||
         std::ranges::any_of(kRuns, [&](std::string_view run) { return text.contains(run); });
}

}  // namespace

bool IsLikeWord(std::string_view text) {
  constexpr std::size_t kMinLetters = 6, kCertain = 8, kMaxLetters = 16;
  constexpr int kMinLikeness = -2, kPerMissingLetter = 2;  // of a short text less can be said
  const bool is_small = std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_small || text.size() < kMinLetters || text.size() > kMaxLetters) return false;
  if (IsExample(text)) return true;
  text = WithoutAbbreviations(text);
  if (text.size() < kMinLetters) return true;
  const int missing = static_cast<int>(kCertain - std::min(kCertain, text.size()));
  return Likeness(text) >= kMinLikeness - kPerMissingLetter * missing;
}

}  // namespace turnlog
