#include "sanitize/redaction/redaction_watermark.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/hash.h"
#include "base/try.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_rules_json.h"

namespace turnlog {
namespace {

constexpr std::string_view kConsumer = "redact";
// To be increased when more is found in the same events than before, with the same rules.
constexpr std::uint64_t kSearchRevision = 2;

}  // namespace

std::string SearchFingerprint(const RedactionTargets& targets) {
  std::uint64_t hash = Hash64(kSecretRulesJson, kDetectorRevision + (kSearchRevision << 32));
  if (targets.rules_text) hash = Hash64(*targets.rules_text, hash);
  for (const AcceptedFinding& finding : targets.accepted)
    hash = Hash64(fmt::format("{} {} {}", finding.rule, finding.conversation, finding.seq.value), hash);
  return fmt::format("{:016x}{}{}", hash, targets.secrets ? "s" : "", targets.detect ? "d" : "");
}

Result<std::optional<SearchWatermark>> FindSearchWatermark(Log& log, const ConversationId& id,
                                                           const std::string& fingerprint) {
  const auto watermark = TURNLOG_TRY(log.FindWatermark(kConsumer, id));
  return watermark ? DecodeSearchWatermark(*watermark, fingerprint) : std::nullopt;
}

std::optional<SearchWatermark> DecodeSearchWatermark(const Watermark& watermark, const std::string& fingerprint) {
  if (!watermark.state.starts_with(fingerprint + " ")) return std::nullopt;
  const std::string_view turn = std::string_view(watermark.state).substr(fingerprint.size() + 1);
  SearchWatermark found{.head = watermark.head, .turn = {}};
  const auto read = std::from_chars(turn.data(), turn.data() + turn.size(), found.turn.value);
  if (read.ec != std::errc() || found.turn > found.head) return std::nullopt;
  return found;
}

Status SaveSearchWatermark(Log& log, const ConversationId& id, const std::string& fingerprint,
                           const SearchWatermark& watermark) {
  return log.SetWatermark(kConsumer, id, EncodeSearchWatermark(watermark, fingerprint));
}

Watermark EncodeSearchWatermark(const SearchWatermark& watermark, const std::string& fingerprint) {
  return {watermark.head, fmt::format("{} {}", fingerprint, watermark.turn.value)};
}

}  // namespace turnlog
