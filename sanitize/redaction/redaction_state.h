// What the steps of one redaction know.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sanitize/redaction/event_rewriter.h"
#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_values.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

// An event that is to be redacted.
struct PlannedEvent {
  Seq seq;
  std::uint64_t bytes = 0;
  RedactionSource source;       // what it tells by itself
  std::set<ValueNumber> found;  // values that stand in it
  bool fingerprint = false;     // the record of an import, which must not tell what was imported

  bool is_source() const { return source.answer || !source.rules.empty(); }
  // Holds a value that another event tells.
  bool has_foreign() const;
};

struct PlannedConversation {
  ConversationId id;
  Seq seen;  // it was looked at up to here
  std::vector<PlannedEvent> events;
};

struct RedactionState {
  // How much of an event is redacted. An event that tells of a value keeps it until no other event has an echo of it:
  // whoever starts again after an interruption finds the value there.
  enum class Extent : std::uint8_t { kAll, kForeign };

  explicit RedactionState(Log& the_log) : log(the_log) {}

  Log& log;
  std::unique_ptr<SecretDetector> detector;  // if it is wanted
  SecretValues values;
  std::optional<SecretMatcher> finder;                 // of the values
  std::map<std::string, ConversationSources> sources;  // by conversation
  std::vector<PlannedConversation> conversations;
  std::set<ValueNumber> spread;  // values that several conversations have
  RedactionPlan plan;
  std::vector<RedactedConversation> done;

  // With the values that stand in it.
  PlannedEvent Look(const Record& record) const;
  Result<RewrittenEvent> Rewrite(const PlannedEvent& planned, const EventView& event, Extent extent) const;
  Result<RewrittenEvent> Rewrite(const PlannedEvent& planned, const Record& record, Extent extent) const;
  std::set<RuleNumber> RulesOf(const PlannedEvent& event, Extent extent);
  // For people: without the values, which may stand in names.
  std::string Shown(std::string_view text) const;
  Error Shown(Error error) const;

 private:
  std::vector<TextSpan> FindAll(std::string_view text) const;
};

}  // namespace turnlog
