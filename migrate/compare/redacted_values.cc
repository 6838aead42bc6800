#include "migrate/compare/redacted_values.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/try.h"
#include "migrate/logged/removed_texts.h"
#include "sanitize/redaction/event_rewriter.h"
#include "sanitize/secrets/escapes.h"
#include "sanitize/secrets/opaque_values.h"
#include "sanitize/secrets/secret_checks.h"
#include "schema/event/event_texts.h"

namespace turnlog {
namespace {

// The texts of an event, apart from the source's own, which a redacted event may have lost.
std::vector<std::pair<std::string, std::string_view>> TextsOf(EventView& event) {
  std::vector<std::pair<std::string, std::string_view>> texts;
  ForEachText(event, [&](std::string_view field, TextKind kind, std::string_view& text) {
    if (kind != TextKind::kSource && kind != TextKind::kId) texts.emplace_back(field, text);
  });
  return texts;
}

}  // namespace

void RedactedValues::Learn(EventView redacted, EventView original) {
  const auto forms = TextsOf(redacted), texts = TextsOf(original);
  if (forms.size() != texts.size()) return;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (forms[i].first == texts[i].first) Learn(forms[i].second, texts[i].second);
  }
}

void RedactedValues::Learn(std::string_view redacted, std::string_view original) {
  if (redacted == original) return;
  constexpr std::size_t kMinBytes = 8;  // what comes between two marks may be a part of a value
  const auto all = RemovedTexts(redacted, original);
  if (!all) return;
  for (const std::string_view removed : *all) {
    const auto undone = UndoEscapes(removed, EscapeKind::kBackslash);  // in JSON
    for (const std::string_view value : {removed, undone ? undone->text() : std::string_view()}) {
      if (value.size() < kMinBytes || WhyNotSearchable(value) || IsWords(value)) continue;
      const auto same = [&](const SecretString& known) { return known.view() == value; };
      if (std::ranges::any_of(values_, same)) continue;
      values_.emplace_back(value);
      matcher_.reset();
    }
  }
}

Result<std::optional<Event>> RedactedValues::Remove(const EventView& event) {
  if (values_.empty()) return std::nullopt;
  if (!matcher_) matcher_ = std::make_unique<SecretMatcher>(values_);
  const EventChange change{.find = [&](std::string_view text) { return WithWholeOpaque(text, matcher_->Find(text)); }};
  const RewrittenEvent rewritten = TURNLOG_TRY(RewriteEvent(event, change));
  if (!rewritten.changed) return std::nullopt;
  return Own(rewritten.event);
}

}  // namespace turnlog
