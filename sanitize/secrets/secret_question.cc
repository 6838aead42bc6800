#include "sanitize/secrets/secret_question.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// At the beginning of a word, in small letters, with blanks for hyphens and underscores.
constexpr std::array<std::string_view, 17> kAskedFor{
    "password",   "passphrase",   "passcode",      "api key",           "apikey",    "access key",
    "secret key", "private key",  "signing key",   "client secret",     "api token", "access token",
    "auth token", "bearer token", "one time code", "verification code", "2fa code"};

constexpr std::array<std::string_view, 12> kNoSecrets{"",     "yes",    "y",    "no",  "n",     "ok",
                                                      "skip", "cancel", "none", "n/a", "later", "default"};

std::string Plain(std::string_view text) {
  std::string plain(text);
  std::ranges::transform(plain, plain.begin(), [](char c) {
    return c == '-' || c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return plain;
}

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) return true;
  }
  return false;
}

}  // namespace

bool AsksForSecret(const QuestionView& question) {
  const AnswerKind kind = question.answer_type.kind;
  if (kind != AnswerKind::kText && (kind != AnswerKind::kSelect || !question.answer_type.other)) return false;
  const std::string text = Plain(question.text);
  return std::ranges::any_of(kAskedFor, [&](std::string_view word) { return HasWord(text, word); });
}

bool MayBeSecret(std::span<const std::string> options, std::string_view answer) {
  if (!answer.starts_with('"') || std::ranges::find(options, answer) != options.end()) return false;
  return std::ranges::find(kNoSecrets, Plain(UnescapeJson(answer))) == kNoSecrets.end();
}

}  // namespace turnlog
