// What the tests of redaction share: values in every place of every kind of event, and a search that is not ours.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/log/forwarding_log.h"
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
// As an older writer left it behind: the answer stands before the question, where the log did not know yet that it is a
// secret.
std::vector<Event> LeakedAnswer(std::string_view id, std::string_view value);
// An event for every text of every kind of event, with the value in it and nowhere in an id.
std::vector<Event> Everywhere(std::string_view value);
// The value as it stands within a JSON text, in a URL, in base64 at any place, ...
std::vector<std::string> Encoded(std::string_view value);

std::vector<std::uint64_t> SeqsOf(const RedactedConversation& conversation);

class RedactTest : public SanitizeTest {
 protected:
  // Never in the sources as such, so that no scanner takes this for a leak.
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
  RedactionReceipt Redact(const RedactionTargets& targets) { return Redact(*log_, targets); }
  RedactionReceipt Redact(Log& log, const RedactionTargets& targets);

  // The conversation's events as JSON, with `redaction` events as "redaction RULE ...".
  std::vector<std::string> Json(std::string_view conversation);
};

}  // namespace turnlog
