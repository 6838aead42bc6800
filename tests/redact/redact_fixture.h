// Shared by the tests of redaction: values in every field of every kind of event, and an independent search.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "log/forwarding_log.h"
#include "tests/redact/search.h"
#include "tests/sanitize/sanitize_fixture.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

// A log in which something happens before each redaction; if that fails, so does the redaction.
class WatchedLog : public ForwardingLog {
 public:
  WatchedLog(Log& log, std::function<Status()> before) : ForwardingLog(log), before_(std::move(before)) {}

  Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                              const EventView& redaction, const RedactOptions& options) override {
    if (Status status = before_(); !status) return std::unexpected(std::move(status).error());
    return ForwardingLog::Redact(conversation, replacements, redaction, options);
  }

 private:
  const std::function<Status()> before_;
};

Event FromJson(std::string_view json);
// An answer in clear under this id.
Event Answered(std::string_view id, std::string_view value);
// As an older writer stored it: the answer precedes the question, so that the log did not know that it is a
// secret.
std::vector<Event> LeakedAnswer(std::string_view id, std::string_view value);
// An event for every text field of every kind of event, with the value in it; none in an id.
std::vector<Event> Everywhere(std::string_view value);
// The value in JSON text, in a URL, in base64 at any offset, ...
std::vector<std::string> Encoded(std::string_view value);

std::vector<std::uint64_t> SeqsOf(const RedactedConversation& conversation);

class RedactTest : public SanitizeTest {
 protected:
  // In pieces, so that scanners do not report this file as a leak.
  const std::string value_ = std::string("Kq7v-rather") + "Secret!9x",
                    other_ = std::string("zW4-another") + "Secret?77";

  static RedactionTargets Given(std::vector<std::string_view> values) {
    RedactionTargets targets;
    targets.values = std::move(values);
    return targets;
  }
  static RedactionTargets Secrets() {
    RedactionTargets targets;
    targets.secrets = true;
    return targets;
  }
  RedactionPlan Plan(const RedactionTargets& targets) { return Must(Redaction::Plan(*log_, targets))->plan(); }
  RedactionProof Redact(const RedactionTargets& targets) { return Redact(*log_, targets); }
  RedactionProof Redact(Log& log, const RedactionTargets& targets);

  // In a store that `fill` fills: redacts its secrets, stopped before the first overwriting, the second, and so on
  // until nothing is left to stop. Another run finishes each, and then `gone` is nowhere. Returns how often it was
  // stopped.
  static int StopBeforeEachStep(const std::function<void(Log&)>& fill, const std::vector<std::string>& gone);

  // The conversation's events as JSON, with `redaction` events as "redaction RULE ...".
  std::vector<std::string> Json(std::string_view conversation);
};

}  // namespace turnlog
