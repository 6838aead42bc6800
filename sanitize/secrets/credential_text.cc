#include "sanitize/secrets/credential_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/base64.h"
#include "sanitize/secrets/escapes.h"
#include "sanitize/secrets/key_block.h"
#include "sanitize/secrets/secret_checks.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_regex.h"
#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }
std::string_view View(const re2::StringPiece& piece) { return {piece.data(), piece.size()}; }

// --- Names ---

// `apiKey_2` -> "api", "key", "2"
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  bool begins = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsLower(c) && !IsUpper(c) && !IsDigit(c)) {
      begins = true;
      continue;
    }
    if (begins || (IsUpper(c) && i > 0 && IsLower(name[i - 1]))) words.emplace_back();
    words.back().push_back(IsUpper(c) ? static_cast<char>(c | 0x20) : c);
    begins = false;
  }
  return words;
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool IsPasswordWord(std::string_view word) {
  static constexpr std::string_view kWords[] = {"pass", "passphrase", "pwd"};
  return IsOneOf(word, kWords) || word.ends_with("password") || word.ends_with("passwd");
}

bool IsSecretWord(std::string_view word) {
  static constexpr std::string_view kWords[] = {"auth", "credential", "credentials", "key",
                                                "keys", "oauth",      "secrets",     "tokens"};
  static constexpr std::string_view kEnds[] = {"accesskey", "apikey", "authkey", "secret", "secretkey", "token"};
  return IsOneOf(word, kWords) || IsPasswordWord(word) ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return word.ends_with(end); });
}

// What such a word at the end of a name names is about a secret and none: TOKEN_FILE, AUTH_PROVIDER.
bool IsAboutASecret(std::string_view last) {
  static constexpr std::string_view kWords[] = {
      "alg",    "algorithm", "at",      "backend", "count",  "dir",    "directory", "domain",   "email",  "enabled",
      "expiry", "endpoint",  "file",    "format",  "header", "helper", "helpers",   "host",     "in",     "issuer",
      "length", "lifetime",  "manager", "method",  "mode",   "name",   "path",      "port",     "prefix", "protocol",
      "realm",  "provider",  "region",  "scheme",  "scope",  "scopes", "server",    "size",     "store",  "strategy",
      "suffix", "timeout",   "ttl",     "type",    "uri",    "url",    "user",      "username", "version"};
  return IsOneOf(last, kWords) || last.starts_with("expir");
}

enum class NameKind { kOther, kSecret, kPassword };

NameKind KindOf(std::string_view name) {
  const std::size_t scope = name.find_last_of("/:.");
  const std::vector<std::string> words = WordsOf(scope == std::string_view::npos ? name : name.substr(scope + 1));
  if (words.empty() || IsAboutASecret(words.back())) return NameKind::kOther;
  if (std::ranges::any_of(words, IsPasswordWord)) return NameKind::kPassword;
  return std::ranges::any_of(words, IsSecretWord) ? NameKind::kSecret : NameKind::kOther;
}

// --- Values ---

bool IsReference(std::string_view value) {
  static constexpr std::string_view kBegins[] = {"$", "<", "{{", "%(", "~/", "./", "../", "-----BEGIN "};
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return value.starts_with(begin); }) ||
         value.contains("${") || value.contains("://") || (value.starts_with('/') && !LooksRandom(value));
}

bool IsCredential(NameKind kind, std::string_view value) {
  return kind != NameKind::kOther && !IsReference(value) && (kind == NameKind::kPassword || !IsWords(value));
}

// The value at the beginning of the rest of a line: in quotes, or up to a blank or comma.
std::string_view ValueAt(std::string_view rest) {
  if (rest.empty()) return rest;
  const char quote = rest[0];
  if (quote != '"' && quote != '\'') return rest.substr(0, rest.find_first_of(" \t\r\"',"));
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != quote) end += rest[end] == '\\' && quote == '"' ? 2 : 1;
  return rest.substr(1, std::min(end, rest.size()) - 1);
}

class Collector {
 public:
  void Add(std::string_view value) {
    if (WhyNotSearchable(value) || Knows(value)) return;
    values_.emplace_back(value);
    AddWithout(value, EscapeKind::kBackslash);
    AddDecoded(value);
  }

  // Escaped as URLs are.
  void AddFromUrl(std::string_view value) {
    Add(value);
    AddWithout(value, EscapeKind::kPercent);
  }

  void AddKey(std::string_view block) {
    const auto lines = UndoEscapes(block, EscapeKind::kBackslash);  // as JSON has them
    Add(lines ? lines->text() : block);
  }

  std::vector<SecretString> Take() { return std::move(values_); }

 private:
  bool Knows(std::string_view value) const {
    return std::ranges::any_of(values_, [&](const SecretString& known) { return known.view() == value; });
  }

  void AddWithout(std::string_view value, EscapeKind escapes) {
    if (const auto text = UndoEscapes(value, escapes)) Add(text->text());
  }

  // Registries keep a name, a colon and the password in base64, and others a password or a private key.
  void AddDecoded(std::string_view value) {
    auto text = DecodeBase64(value);
    if (!text) return;
    const auto in_text = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; };
    if (IsBasicAuth(value)) {
      Add(std::string_view(*text).substr(text->find(':') + 1));
    } else if (std::ranges::all_of(*text, in_text)) {
      Add(*text);
    }
    Wipe(*text);
  }

  std::vector<SecretString> values_;
};

// --- Notations ---

// NAME=value, name: value, "name": "value"
void CollectNamed(std::string_view line, Collector& values) {
  static const RE2 name(R"((?i)([a-z0-9_.\-/:]*[a-z0-9])["']?[ \t]*[:=])", SecretRegexOptions());
  for (std::size_t at = 0; at < line.size();) {
    std::array<re2::StringPiece, 2> found;
    if (!name.Match(Piece(line), at, line.size(), RE2::UNANCHORED, found.data(), 2)) return;
    at = static_cast<std::size_t>(found[0].data() - line.data()) + found[0].size();
    const NameKind kind = KindOf(View(found[1]));
    if (kind == NameKind::kOther) continue;
    while (at < line.size() && IsBlank(line[at])) ++at;
    const std::string_view value = ValueAt(line.substr(at));
    if (!IsCredential(kind, value)) continue;
    values.Add(value);
    at = static_cast<std::size_t>(value.data() - line.data()) + value.size();
  }
}

void CollectOther(std::string_view line, Collector& values) {
  static const RE2 netrc(R"re((?i)\bpassword[ \t]+("[^"]*"|\S+))re", SecretRegexOptions());
  static const RE2 url(R"([a-z][a-z0-9+.\-]*://[^/\s:@]*:([^/\s@]+)@)", SecretRegexOptions());
  static const RE2 pgpass(R"(^[^:]+:(?:[0-9]+|\*):[^:]+:[^:]+:(.+)$)", SecretRegexOptions());
  static const RE2 element(R"((?i)<(?:password|passphrase|token|secret)>\s*([^<\s]+)\s*<)", SecretRegexOptions());
  static const RE2 host(R"re((?i)"[a-z0-9\-]+(?:\.[a-z0-9\-]+)+"\s*:\s*"([^"]+)")re", SecretRegexOptions());
  const auto each = [&](const RE2& expression, auto on_value) {
    re2::StringPiece rest = Piece(line), value;
    while (RE2::FindAndConsume(&rest, expression, &value)) on_value(View(value));
  };
  each(netrc, [&](std::string_view value) { values.Add(ValueAt(value)); });
  each(url, [&](std::string_view value) {
    if (!IsReference(value)) values.AddFromUrl(value);
  });
  each(pgpass, [&](std::string_view value) { values.Add(value); });
  each(element, [&](std::string_view value) {
    if (!IsReference(value)) values.Add(value);
  });
  each(host, [&](std::string_view value) {  // the token of a host
    if (LooksRandom(value) && !IsReference(value)) values.Add(value);
  });
}

void CollectKeys(std::string_view text, Collector& values) {
  static const RE2 header("-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----", SecretRegexOptions());
  for (std::size_t at = 0; at < text.size();) {
    re2::StringPiece found;
    if (!header.Match(Piece(text), at, text.size(), RE2::UNANCHORED, &found, 1)) return;
    const auto begin = static_cast<std::size_t>(found.data() - text.data());
    at = begin + found.size();
    const auto block = ReadKeyBlock(text, {begin, at});
    if (!block) continue;
    values.AddKey(text.substr(block->span.begin, block->span.size()));
    at = std::max(at, block->span.end);
  }
}

bool IsComment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin != std::string_view::npos && (line[begin] == '#' || line[begin] == ';');
}

}  // namespace

std::vector<SecretString> CredentialsIn(std::string_view text) {
  Collector values;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = end + 1;
    if (IsComment(line)) continue;
    CollectNamed(line, values);
    CollectOther(line, values);
  }
  CollectKeys(text, values);
  return values.Take();
}

std::vector<SecretString> PrivateKeysIn(std::string_view text) {
  Collector values;
  CollectKeys(text, values);
  return values.Take();
}

}  // namespace turnlog
