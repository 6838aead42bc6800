// The state shared by the steps of one redaction.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sanitize/redaction/event_rewriter.h"
#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/redaction/redaction_watermark.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_values.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

// An event to redact.
struct PlannedEvent {
  Seq seq;
  std::uint64_t bytes = 0;
  RedactionSource source;          // what it is a source of
  std::set<ValueNumber> found;     // values that occur in it
  std::set<std::string> accepted;  // rules whose findings in it are no secrets
  bool fingerprint = false;        // an import record whose fingerprint must be removed

  bool is_source() const { return source.answer || !source.rules.empty(); }
  // Contains a value of which another event is the source.
  bool has_foreign() const;
};

struct PlannedConversation {
  ConversationId id;
  Seq seen;  // read up to here
  std::vector<PlannedEvent> events;
};

struct RedactionState {
  // How much of an event is redacted. A source event keeps its value until all other occurrences are gone: after an
  // interruption the next run finds the value there.
  enum class Extent : std::uint8_t { kAll, kForeign };

  explicit RedactionState(Log& the_log) : log(the_log) {}

  Log& log;
  std::unique_ptr<SecretDetector> detector;  // null unless requested
  SecretValues values;
  // Numbers from here on are hashes of arguments that contain a value (see arguments_hashes.h). They have to be gone
  // before these arguments change.
  ValueNumber first_hash = 0;
  std::optional<SecretMatcher> finder;                 // of the values and hashes
  std::map<std::string, ConversationSources> sources;  // by conversation
  std::vector<AcceptedFinding> accepted;               // sorted
  std::string search;                                  // SearchFingerprint, if events were searched for secrets
  std::map<std::string, SearchWatermark> searched;     // how far, by conversation
  std::vector<PlannedConversation> conversations;
  std::set<ValueNumber> spread;  // values that occur in several conversations
  RedactionPlan plan;
  std::vector<RedactedConversation> done;

  bool HasHash(const PlannedEvent& event) const;
  // Finds the values that occur in the record.
  PlannedEvent Look(const Record& record) const;
  std::set<std::string> AcceptedRules(std::string_view conversation, Seq seq) const;
  Result<RewrittenEvent> Rewrite(const PlannedEvent& planned, const EventView& event, Extent extent) const;
  Result<RewrittenEvent> Rewrite(const PlannedEvent& planned, const Record& record, Extent extent) const;
  // The fields in which a value occurs within an opaque value, all of which is removed.
  Result<std::vector<std::string>> OpaqueFields(const Record& record) const;
  std::set<RuleNumber> RulesOf(const PlannedEvent& event, Extent extent);
  // For output: without the values, which may occur in names.
  std::string Shown(std::string_view text) const;
  Error Shown(Error error) const;

 private:
  std::vector<TextSpan> FindAll(std::string_view text, const std::set<std::string>& accepted) const;
};

}  // namespace turnlog
