#include "transcript/secret_filter.h"

#include <utility>

#include "base/try.h"
#include "sanitize/redaction/redacted_text.h"
#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/opaque_values.h"
#include "sanitize/secrets/secret_values.h"
#include "turnlog/event_walk.h"

namespace turnlog {

Result<SecretFilter> SecretFilter::Make(bool keep) {
  if (keep) return SecretFilter(nullptr);
  SecretRules rules = TURNLOG_TRY(LoadSecretRules({}));
  return SecretFilter(TURNLOG_TRY(SecretDetector::Make(std::move(rules))));
}

Result<std::uint64_t> SecretFilter::Learn(Log& log, const ConversationId& conversation, Seq from,
                                          std::uint64_t most_bytes) {
  if (keeps()) return std::uint64_t{0};
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.from = from}));
  std::vector<UnsearchedValue> unsearched;
  SecretValues values;
  SourceFinder finder(conversation.text(), {.secrets = true, .detector = detector_.get()}, values, unsearched);
  finder.AddName();
  std::uint64_t bytes = 0;
  TURNLOG_TRY(WalkItems(*cursor, [&](const Item& item) -> Result<Walk> {
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return Walk::kOn;  // damage is reported where it would be shown
    if (const auto event = record->Decode()) finder.Add(record->seq, *event);
    bytes += record->payload.size();
    return bytes < most_bytes ? Walk::kOn : Walk::kEnd;
  }));
  for (const auto& [seq, source] : finder.Take()) {
    if (source.answer) answers_[conversation.text()].insert(seq);
  }
  if (values.size() > 0) learned_.emplace_back(values.all());
  return bytes;
}

bool SecretFilter::IsSecretAnswer(std::string_view conversation, Seq seq) const {
  const auto answers = answers_.find(conversation);
  return answers != answers_.end() && answers->second.contains(seq);
}

std::vector<TextSpan> SecretFilter::Find(std::string_view text) const {
  std::vector<TextSpan> spans;
  for (const SecretMatcher& matcher : learned_) {
    const std::vector<TextSpan> found = WithWholeOpaque(text, matcher.Find(text));
    spans.insert(spans.end(), found.begin(), found.end());
  }
  for (const FoundSecret& found : FindUnredacted(*detector_, text)) spans.push_back(found.span);
  return MergeSpans(std::move(spans));
}

std::string SecretFilter::Text(std::string_view text) {
  if (keeps()) return std::string(text);
  const auto find = [this](std::string_view part) { return Find(part); };
  auto redacted = RedactText(find, text);
  if (redacted) found_ += Find(text).size();
  return redacted ? *std::move(redacted) : std::string(text);
}

std::string SecretFilter::Json(std::string_view json) {
  if (keeps()) return std::string(json);
  const auto find = [this](std::string_view part) { return Find(part); };
  auto redacted = RedactJson(find, json);
  if (redacted) found_ += Find(json).size();
  return redacted ? *std::move(redacted) : std::string(json);
}

}  // namespace turnlog
