#include "sanitize/secrets/opaque_values.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/base64.h"
#include "base/secret_string.h"
#include "sanitize/secrets/escapes.h"

namespace turnlog {
namespace {

// --- Where the value is ---

bool IsValueLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         std::string_view("+/=_.:-\\").contains(letter);
}

struct Slot {
  std::string_view key;
  TextSpan value;
};

// The end of what is before text[end] without a quote and the backslashes that escape it; nothing if there is no quote.
std::optional<std::size_t> BeforeQuote(std::string_view text, std::size_t end) {
  if (end == 0 || text[end - 1] != '"') return std::nullopt;
  for (--end; end > 0 && text[end - 1] == '\\';) --end;
  return end;
}

std::size_t BeforeBlanks(std::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  return end;
}

// The key whose value begins at text[begin], after the opening quote.
std::optional<std::string_view> KeyOf(std::string_view text, std::size_t begin) {
  constexpr std::size_t kLongestKey = 64;
  const auto quote = BeforeQuote(text, begin);
  if (!quote) return std::nullopt;
  const std::size_t colon = BeforeBlanks(text, *quote);
  if (colon == 0 || text[colon - 1] != ':') return std::nullopt;
  const auto end = BeforeQuote(text, BeforeBlanks(text, colon - 1));
  if (!end) return std::nullopt;
  std::size_t key = *end;
  while (key > 0 && *end - key < kLongestKey && text[key - 1] != '"') --key;
  return text.substr(key, *end - key);
}

std::optional<Slot> FindSlot(std::string_view text, TextSpan span) {
  if (!std::ranges::all_of(text.substr(span.begin, span.size()), IsValueLetter)) return std::nullopt;
  TextSpan value = span;
  while (value.begin > 0 && IsValueLetter(text[value.begin - 1])) --value.begin;
  while (value.end < text.size() && IsValueLetter(text[value.end])) ++value.end;
  if (value.end == text.size() || text[value.end] != '"') return std::nullopt;
  while (value.end > span.end && text[value.end - 1] == '\\') --value.end;  // they escape the quote
  const auto key = KeyOf(text, value.begin);
  if (!key) return std::nullopt;
  return Slot{*key, value};
}

// --- What the value is ---

// A message of Protocol Buffers: its fields fill it exactly. The signatures of Anthropic and Google are such.
class ProtobufCheck {
 public:
  explicit ProtobufCheck(std::string_view bytes) : rest_(bytes) {}

  bool Passes() {
    while (!rest_.empty()) {
      const auto tag = TakeNumber();
      if (!tag || *tag >> 3 == 0 || !SkipField(*tag & 7)) return false;
    }
    return true;
  }

 private:
  bool SkipField(std::uint64_t wire_type) {
    constexpr std::uint64_t kNumber = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
    if (wire_type == kNumber) return TakeNumber().has_value();
    if (wire_type == kFixed64) return Skip(8);
    if (wire_type == kFixed32) return Skip(4);
    const auto size = wire_type == kBytes ? TakeNumber() : std::nullopt;
    return size && Skip(*size);
  }
  bool Skip(std::uint64_t bytes) {
    if (bytes > rest_.size()) return false;
    rest_.remove_prefix(bytes);
    return true;
  }
  std::optional<std::uint64_t> TakeNumber() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

// A Fernet token, as OpenAI's encrypted contents are: version, time, initialization vector, blocks of 16, and a MAC.
bool IsFernet(std::string_view bytes) {
  constexpr std::size_t kAround = 1 + 8 + 16 + 32, kBlock = 16;
  return bytes.size() > kAround && bytes.front() == '\x80' && (bytes.size() - kAround) % kBlock == 0;
}

// Empty if it is no base64.
SecretString Decode(std::string_view text) {
  SecretString padded;
  padded.Reserve(text.size() + 3);
  padded.Append(text);
  while (padded.size() % 4 != 0) padded.Append('=');
  auto decoded = DecodeBase64(padded.view());
  if (!decoded) decoded = DecodeBase64(padded.view(), Base64Alphabet::kUrlSafe);
  if (!decoded) return {};
  SecretString bytes(*decoded);
  Wipe(*decoded);
  return bytes;
}

// Base64 of what only its provider reads. Some programs encode it in base64 again, and again when they store it again.
bool IsSealed(std::string_view value) {
  constexpr std::size_t kMinBytes = 32;
  constexpr int kMaxLayers = 8;
  SecretString text(value);
  for (int layer = 0; layer < kMaxLayers; ++layer) {
    text = Decode(text.view());
    if (text.size() < kMinBytes) return false;
    if (IsFernet(text.view()) || ProtobufCheck(text.view()).Passes()) return true;
  }
  return false;
}

// --- Which names go with which form ---

bool Matches(std::string_view text, const RE2& expression) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression);
}

bool IsSealedName(std::string_view key) {
  static const RE2 names(R"((?i).*signature|encrypted_?(?:content|index|reasoning)|opaque)");
  return Matches(key, names);
}

// Of thinking that Anthropic does not show: its field is called "data", as many others are.
bool IsRedactedThinking(std::string_view text, const Slot& slot) {
  constexpr std::size_t kNear = 256;
  const std::size_t begin = slot.value.begin - std::min(slot.value.begin, kNear);
  return slot.key == "data" && (text.substr(begin, slot.value.begin - begin).contains("redacted_thinking") ||
                                text.substr(slot.value.end, kNear).contains("redacted_thinking"));
}

// A field of such a name holds a secret in whatever form: "secret_id", "api_hash".
bool IsSecretSlot(std::string_view key) {
  static const RE2 names("(?i)api|secret|token|passw|key|auth");
  return RE2::PartialMatch(re2::StringPiece(key.data(), key.size()), names);
}

bool IsIdSlot(std::string_view key) {
  static const RE2 names(R"(id|(?:[a-z]+_)*id|[a-z]+(?:[A-Z][a-z]*)*(?:Id|ID)|u?uid|[a-zA-Z]*[uU]uid|.*_uuid)");
  return Matches(key, names);
}

// An id that carries the name of what it is, a UUID, or a ULID.
bool IsId(std::string_view value) {
  static const RE2 forms(
      "(?:msg|toolu|srvtoolu|mcptoolu|call|resp|rs|fc|fco|ctc|ws|ci|ig|mcp|mcpl|mcpr|req|run|step|thread|asst|"
      "chatcmpl|cmpl|gen|item|evt|event|ses|prt|cntr|file|batch|msgbatch|conv|conversation|trace|span)"
      "[_-](?:bdrk_|vrtx_)?[A-Za-z0-9]{12,64}(?:[._-][A-Za-z0-9_.-]{1,64})?"
      "|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
      "|[0-7][0-9A-HJKMNP-TV-Z]{25}");
  return Matches(value, forms);
}

bool IsHashSlot(std::string_view key) {
  static const RE2 names(
      R"((?i).*(?:sha[_-]?(?:1|224|256|384|512)?|hash|checksum|digest|etag|integrity|fingerprint|commit|revision|oid))");
  return Matches(key, names);
}

bool IsHash(std::string_view value) {
  static const RE2 forms(
      "(?:(?:md5|sha1|sha224|sha256|sha384|sha512)[:-])?"
      "(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}"
      "|[0-9A-F]{32}|[0-9A-F]{40}|[0-9A-F]{56}|[0-9A-F]{64}|[0-9A-F]{96}|[0-9A-F]{128})"
      "|sha(?:1|256|384|512)-[A-Za-z0-9+/]{27,86}={0,2}");
  return Matches(value, forms);
}

bool IsSealedSlot(std::string_view text, const Slot& slot) {
  return !IsSecretSlot(slot.key) && (IsSealedName(slot.key) || IsRedactedThinking(text, slot));
}

bool IsOpaque(std::string_view text, const Slot& slot, std::string_view value) {
  if (IsSealedSlot(text, slot)) return IsSealed(value);
  if (IsSecretSlot(slot.key)) return false;
  return (IsIdSlot(slot.key) && IsId(value)) || (IsHashSlot(slot.key) && IsHash(value));
}

std::optional<Slot> FindOpaque(std::string_view text, TextSpan span) {
  const auto slot = FindSlot(text, span);
  if (!slot) return std::nullopt;
  SecretString value(text.substr(slot->value.begin, slot->value.size()));
  for (int i = 0; i < kMaxEscapes && value.view().contains('\\'); ++i) {
    const auto undone = UndoEscapes(value.view(), EscapeKind::kBackslash);
    if (!undone) break;
    value = SecretString(undone->text());
  }
  return IsOpaque(text, *slot, value.view()) ? slot : std::nullopt;
}

}  // namespace

std::optional<TextSpan> OpaqueAround(std::string_view text, TextSpan span) {
  const auto slot = FindOpaque(text, span);
  return slot ? std::optional(slot->value) : std::nullopt;
}

std::optional<TextSpan> SealedAround(std::string_view text, TextSpan span) {
  const auto slot = FindOpaque(text, span);
  return slot && IsSealedSlot(text, *slot) ? std::optional(slot->value) : std::nullopt;
}

std::vector<TextSpan> WithWholeOpaque(std::string_view text, std::span<const TextSpan> spans) {
  std::vector<TextSpan> whole;
  whole.reserve(spans.size());
  for (const TextSpan& span : spans) {
    if (!whole.empty() && span.end <= whole.back().end) continue;  // in the same opaque value
    whole.push_back(OpaqueAround(text, span).value_or(span));
  }
  return MergeSpans(std::move(whole));
}

}  // namespace turnlog
