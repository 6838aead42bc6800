#include "migrate/import/secret_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "sanitize/redaction/event_rewriter.h"
#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/opaque_values.h"
#include "sanitize/secrets/secret_rules.h"
#include "schema/event/event_texts.h"

namespace turnlog {
namespace {

class SecretFindingReader final : public SourceReader {
 public:
  SecretFindingReader(std::unique_ptr<SourceReader> reader, SourceSecrets& secrets)
      : reader_(std::move(reader)), secrets_(secrets) {}

  Result<SourceItem> Next() override {
    Result<SourceItem> item = reader_->Next();
    if (!item) return item;
    if (auto* event = std::get_if<SourceEvent>(&*item)) event->redacted |= secrets_.Look(event->event.View());
    if (auto* part = std::get_if<SourcePart>(&*item)) {
      // A part of a secret may be at its end, which no rule finds: it comes in when it is complete.
      part->left_out = part->torn;
      if (!part->left_out) (void)secrets_.Look(part->bytes);
    }
    return item;
  }

 private:
  const std::unique_ptr<SourceReader> reader_;
  SourceSecrets& secrets_;
};

class SecretRemovingReader final : public SourceReader {
 public:
  SecretRemovingReader(std::unique_ptr<SourceReader> reader, SourceSecrets& secrets)
      : reader_(std::move(reader)), secrets_(secrets) {}

  Result<SourceItem> Next() override {
    Result<SourceItem> item = reader_->Next();
    auto* event = item ? std::get_if<SourceEvent>(&*item) : nullptr;
    if (event == nullptr) return item;
    SecretRemoval redacted = TURNLOG_TRY(secrets_.Redact(event->event.View()));
    if (!redacted.rules.empty()) event->remark().secrets = std::move(redacted.rules);
    if (!redacted.kept.empty()) event->remark().kept_secrets = std::move(redacted.kept);
    if (redacted.event) TURNLOG_TRY(event->Replace(View(*redacted.event)));
    return item;
  }

 private:
  const std::unique_ptr<SourceReader> reader_;
  SourceSecrets& secrets_;
};

}  // namespace

Result<std::unique_ptr<const SecretSearch>> SecretSearch::Make(SecretDetection detection) {
  if (detection == SecretDetection::kNone) return nullptr;
  SecretRules rules = TURNLOG_TRY(LoadSecretRules({}));
  auto detector = TURNLOG_TRY(SecretDetector::Make(std::move(rules)));
  return std::unique_ptr<const SecretSearch>(new SecretSearch(detection, std::move(detector)));
}

void SecretSearch::Count(EventView event, std::map<std::string, std::uint64_t>& by_rule) const {
  ForEachText(event, [&](std::string_view, TextKind, std::string_view& text) { Count(text, by_rule); });
}

void SecretSearch::Count(std::string_view text, std::map<std::string, std::uint64_t>& by_rule) const {
  for (const FoundSecret& secret : FindUnredacted(*detector_, text)) ++by_rule[detector_->rule(secret.rule).id];
}

bool SourceSecrets::Look(EventView event) {
  bool found = false;
  ForEachText(event, [&](std::string_view, TextKind, std::string_view& text) { found |= Look(text); });
  return found;
}

bool SourceSecrets::Look(std::string_view text) {
  const SecretDetector& detector = search_->detector();
  const std::vector<FoundSecret> found = FindUnredacted(detector, text);
  for (const FoundSecret& secret : found) {
    const std::string_view value = TrimValue(secret.value.view());
    const RuleNumber rule = values_.Rule(detector.rule(secret.rule).id);
    if (!WhyNotSearchable(value)) values_.Add(value, rule, {});
  }
  found_ |= !found.empty();
  return !found.empty();
}

void SourceSecrets::AddAnswers(std::span<const SecretString> answers) {
  const RuleNumber rule = values_.Rule(kSecretAnswerRule);
  for (const SecretString& answer : answers) {
    const std::string_view value = TrimValue(answer.view());
    if (WhyNotSearchable(value)) continue;
    values_.Add(value, rule, {});
    found_ = true;
  }
}

// What the rules find, and the values that they have found anywhere.
std::vector<TextSpan> SourceSecrets::Find(std::string_view text, std::vector<std::string>* rules) {
  if (!matcher_) matcher_.emplace(values_.all());
  std::vector<TextSpan> spans = WithWholeOpaque(text, matcher_->Find(text));
  const auto note = [&](const std::string& rule) {
    if (rules != nullptr && std::ranges::find(*rules, rule) == rules->end()) rules->push_back(rule);
  };
  if (!spans.empty()) {
    for (const std::size_t value : matcher_->FindValues(text)) {
      note(values_.rule(values_.RuleOf(static_cast<ValueNumber>(value))));
    }
  }
  if (search_ == nullptr) return MergeSpans(std::move(spans));
  for (const FoundSecret& secret : FindUnredacted(search_->detector(), text)) {
    note(search_->detector().rule(secret.rule).id);
    spans.push_back(secret.span);
  }
  return MergeSpans(std::move(spans));
}

Result<SecretRemoval> SourceSecrets::Redact(const EventView& event) {
  SecretRemoval redacted;
  if (!found_) return redacted;
  const EventChange change{.find = [&](std::string_view text) { return Find(text, &redacted.rules); }};
  RewrittenEvent rewritten = TURNLOG_TRY(RewriteEvent(event, change));
  if (!rewritten.changed) {
    redacted.rules.clear();
  } else {
    if (!rewritten.kept.empty()) redacted.rules = RulesBesideIds(event);
    redacted.event = Own(rewritten.event);
  }
  redacted.kept = std::move(rewritten.kept);
  return redacted;
}

std::vector<std::string> SourceSecrets::RulesBesideIds(EventView event) {
  std::vector<std::string> rules;
  ForEachText(event, [&](std::string_view, TextKind kind, std::string_view& text) {
    if (kind != TextKind::kId && kind != TextKind::kSource) Find(text, &rules);
  });
  return rules;
}

std::vector<std::string> SourceSecrets::Redact(ImportRecord& record) {
  std::vector<std::string> rules;
  record.redacted |= found_;
  if (!found_) return rules;
  const FindSpans find = [&](std::string_view text) { return Find(text, &rules); };
  for (auto& [name, bytes] : record.parts) {
    auto redacted = RedactText(find, bytes);
    if (!redacted) continue;
    bytes = *std::move(redacted);
    record.redacted_parts.insert(name);
  }
  return rules;
}

std::unique_ptr<SourceReader> LookForSecrets(std::unique_ptr<SourceReader> reader, SourceSecrets& secrets) {
  return std::make_unique<SecretFindingReader>(std::move(reader), secrets);
}

std::unique_ptr<SourceReader> WithoutSecrets(std::unique_ptr<SourceReader> reader, SourceSecrets& secrets) {
  return std::make_unique<SecretRemovingReader>(std::move(reader), secrets);
}

}  // namespace turnlog
