#include "sanitize/redaction/found_secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "base/hash.h"

namespace turnlog {
namespace {

// What a model is asked or answers.
bool IsSentToModel(EventKind kind) {
  return kind == EventKind::kChatRequest || kind == EventKind::kChatResponse || kind == EventKind::kToolCallRequest ||
         kind == EventKind::kToolCallResponse;
}

void AddTimes(RedactedSecret& secret, Timestamp first, Timestamp last) {
  secret.first = std::min(secret.first.value_or(first), first);
  secret.last = std::max(secret.last.value_or(last), last);
}

std::uint64_t RandomKey() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

void FoundSecrets::Add(ValueNumber value, const ConversationId& conversation, const Record& record) {
  RedactedSecret& secret = found_[value];
  if (secret.events.empty() || secret.events.back().conversation != conversation.text()) ++secret.conversations;
  secret.events.push_back({.conversation = conversation.text(), .seq = record.seq});
  secret.sent_to_model = secret.sent_to_model || IsSentToModel(record.kind);
  const auto event = record.Decode();
  if (event && event->timestamp) AddTimes(secret, *event->timestamp, *event->timestamp);
}

void FoundSecrets::Add(FoundSecrets later) {
  for (auto& [value, from] : later.found_) {
    RedactedSecret& to = found_[value];
    std::ranges::move(from.events, std::back_inserter(to.events));
    to.conversations += from.conversations;
    to.sent_to_model = to.sent_to_model || from.sent_to_model;
    if (from.first && from.last) AddTimes(to, *from.first, *from.last);
  }
}

std::vector<RedactedSecret> FoundSecrets::Take(const RedactionState& state) && {
  const std::uint64_t key = RandomKey();
  std::vector<RedactedSecret> secrets;
  secrets.reserve(found_.size());
  for (auto& [value, secret] : found_) {
    secret.fingerprint = fmt::format("{:08x}", Hash64(state.values.all()[value].view(), key) >> 32);
    secret.why = state.values.WhyOf(value);
    secret.rule = state.values.rule(state.values.RuleOf(value));
    for (ValueLocation& event : secret.events) event.conversation = state.Shown(event.conversation);
    secrets.push_back(std::move(secret));
  }
  return secrets;
}

}  // namespace turnlog
