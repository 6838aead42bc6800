#include "sanitize/redaction/redaction_state.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "sanitize/secrets/opaque_values.h"
#include "schema/event/event_texts.h"

namespace turnlog {
namespace {

std::vector<SecretString> Select(const SecretValues& values, const std::set<ValueNumber>& numbers) {
  std::vector<SecretString> selected;
  selected.reserve(numbers.size());
  for (const ValueNumber number : numbers) selected.push_back(values.all()[number]);
  return selected;
}

}  // namespace

bool PlannedEvent::has_foreign() const {
  return std::ranges::any_of(found, [&](ValueNumber value) { return !source.values.contains(value); });
}

bool RedactionState::HasHash(const PlannedEvent& event) const {
  return !event.found.empty() && *event.found.rbegin() >= first_hash;
}

PlannedEvent RedactionState::Look(const Record& record) const {
  PlannedEvent planned{.seq = record.seq, .bytes = record.payload.size(), .source = {}, .found = {}};
  planned.accepted = AcceptedRules(record.conversation, record.seq);
  for (const std::size_t value : finder->FindValues(record.payload)) {
    planned.found.insert(static_cast<ValueNumber>(value));
  }
  return planned;
}

std::set<std::string> RedactionState::AcceptedRules(std::string_view conversation, Seq seq) const {
  std::set<std::string> rules;
  for (const AcceptedFinding& finding : accepted) {
    if (finding.seq == seq && finding.conversation == conversation) rules.insert(finding.rule);
  }
  return rules;
}

std::vector<TextSpan> RedactionState::FindAll(std::string_view text,
                                              const std::set<std::string>& accepted_rules) const {
  std::vector<TextSpan> spans = WithWholeOpaque(text, finder->Find(text));
  if (detector == nullptr) return spans;
  for (const FoundSecret& secret : FindUnredacted(*detector, text)) {
    if (!accepted_rules.contains(detector->rule(secret.rule).id)) spans.push_back(secret.span);
  }
  return MergeSpans(std::move(spans));
}

Result<RewrittenEvent> RedactionState::Rewrite(const PlannedEvent& planned, const EventView& event,
                                               Extent extent) const {
  if (extent == Extent::kAll) {
    return RewriteEvent(event, {.find = [&](std::string_view text) { return FindAll(text, planned.accepted); },
                                .hide_answer = planned.source.answer,
                                .clear_fingerprint = planned.fingerprint});
  }
  std::set<ValueNumber> others = planned.found;
  for (const ValueNumber own : planned.source.values) others.erase(own);
  const SecretMatcher own(Select(values, planned.source.values)), foreign(Select(values, others));
  // Keeps foreign values that overlap an own value, which would no longer be found otherwise.
  const FindSpans find = [&](std::string_view text) {
    std::vector<TextSpan> spans = WithWholeOpaque(text, foreign.Find(text));
    if (spans.empty()) return spans;
    const std::vector<TextSpan> own_spans = own.Find(text);
    std::erase_if(spans, [&](const TextSpan& span) {
      return std::ranges::any_of(own_spans,
                                 [&](const TextSpan& one) { return one.begin < span.end && span.begin < one.end; });
    });
    return spans;
  };
  return RewriteEvent(event, {.find = find, .clear_fingerprint = planned.fingerprint});
}

Result<RewrittenEvent> RedactionState::Rewrite(const PlannedEvent& planned, const Record& record, Extent extent) const {
  const EventView event = TURNLOG_TRY(record.Decode());
  return Rewrite(planned, event, extent);
}

std::set<RuleNumber> RedactionState::RulesOf(const PlannedEvent& event, Extent extent) {
  std::set<RuleNumber> rules;
  if (extent == Extent::kAll) rules = event.source.rules;
  for (const ValueNumber value : event.found) {
    if (extent == Extent::kAll || !event.source.values.contains(value)) rules.insert(values.RuleOf(value));
  }
  if (event.fingerprint) rules.insert(values.Rule(kFingerprintRule));
  return rules;
}

Result<std::vector<std::string>> RedactionState::OpaqueFields(const Record& record) const {
  EventView event = TURNLOG_TRY(record.Decode());
  std::vector<std::string> fields;
  ForEachText(event, [&](std::string_view field, TextKind kind, std::string_view& text) {
    if (kind == TextKind::kSource || kind == TextKind::kId) return;
    const auto spans = finder->Find(text);
    const bool in_opaque =
        std::ranges::any_of(spans, [&](const TextSpan& span) { return OpaqueAround(text, span).has_value(); });
    if (in_opaque) fields.emplace_back(field);
  });
  return fields;
}

std::string RedactionState::Shown(std::string_view text) const {
  return finder ? RedactText(*finder, text).value_or(std::string(text)) : std::string(text);
}

Error RedactionState::Shown(Error error) const {
  error.message = Shown(error.message);
  return error;
}

}  // namespace turnlog
