#include "transcript/token_estimate.h"

#include <algorithm>
#include <cstddef>

namespace turnlog {
namespace {

enum class Class : std::uint8_t { kLetter, kDigit, kSpace, kBreak, kWide, kOther };

Class ClassOf(char letter) {
  if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) return Class::kLetter;
  if (letter >= '0' && letter <= '9') return Class::kDigit;
  if (letter == '\n') return Class::kBreak;
  if (letter == ' ' || letter == '\t' || letter == '\r') return Class::kSpace;
  return static_cast<unsigned char>(letter) >= 0x80 ? Class::kWide : Class::kOther;
}

// In hundredths of a token, fitted to the tokenizers named in the header.
std::uint64_t CostOf(Class kind, std::size_t length) {
  constexpr std::size_t kShortWord = 5, kDigits = 3;
  switch (kind) {
    case Class::kLetter:
      return 105 + 15 * (std::max(length, kShortWord) - kShortWord);
    case Class::kDigit:
      return 100 * ((length + kDigits - 1) / kDigits);
    case Class::kSpace:
      return length > 1 ? 50 : 0;  // a single one is part of the word after it
    case Class::kBreak:
      return 80;
    case Class::kWide:
      return 40 * length;
    case Class::kOther:
      break;
  }
  return 70 * length;
}

}  // namespace

std::uint64_t EstimateTokens(std::string_view text) {
  std::uint64_t cost = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Class kind = ClassOf(text[at]);
    std::size_t end = at + 1;
    // Indentation and empty lines are part of the line break before them.
    const auto goes_on = [&](Class next) { return next == kind || (kind == Class::kBreak && next == Class::kSpace); };
    while (end < text.size() && goes_on(ClassOf(text[end]))) ++end;
    cost += CostOf(kind, end - at);
    at = end;
  }
  return (cost + 99) / 100;
}

}  // namespace turnlog
