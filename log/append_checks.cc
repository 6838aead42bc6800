#include "log/append_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/try.h"
#include "schema/event/codec.h"

namespace turnlog {
namespace {

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

std::unexpected<Error> Invalid(std::string message) { return Refuse(ErrorCode::kInvalidArgument, std::move(message)); }

bool IsSecretWithDefault(const EventView& event) {
  const auto inquiry = InquiryLabelOf(event);
  return inquiry && inquiry->secret && inquiry->has_default;
}

bool IsSecretWithDefault(const EncodedEvent& event) {
  if (event.kind != EventKind::kInquiryRequest) return false;
  const std::optional<InquiryLabel> inquiry = event.Label().inquiry;
  return inquiry->secret && inquiry->has_default;
}

template <class Event>
Status CheckAll(const ConversationId& conversation, std::span<const Event> events) {
  if (conversation.text().empty()) return Invalid("the conversation id is empty: it was moved from");
  if (events.empty()) return Invalid("an append needs at least one event");
  if (std::ranges::any_of(events, [](const Event& event) { return IsSecretWithDefault(event); })) {
    return Refuse(ErrorCode::kSecretRefused, "a question for a secret has no default: it would be stored in clear");
  }
  return {};
}

}  // namespace

Status CheckAppend(const ConversationId& conversation, std::span<const EventView> events) {
  return CheckAll(conversation, events);
}

Status CheckAppend(const ConversationId& conversation, std::span<const EncodedEvent> events) {
  return CheckAll(conversation, events);
}

Status CheckExpected(const std::optional<Seq>& expected, std::uint64_t last) {
  if (!expected || expected->value == last) return {};
  return std::unexpected(Error{ErrorCode::kConflict,
                               fmt::format("the conversation's last seq is {}, not {}", last, expected->value), last});
}

std::vector<Hash128> EventIds(const PreparedEvents& events) {
  std::vector<Hash128> ids;
  for (const PreparedEvents::One& one : events.events) {
    if (one.fields.event_id) ids.push_back(*one.fields.event_id);
  }
  return ids;
}

Status RefuseSecrets(const OpenInquiries& before, const PreparedEvents& events) {
  const auto answered = [](const auto& one) { return one.fields.answered && !one.result.repeated; };
  const auto asks_for_secret = [](const auto& one) { return one.fields.secret; };
  if (std::ranges::none_of(events.events, answered)) return {};
  if (before.secrets().empty() && std::ranges::none_of(events.events, asks_for_secret)) return {};
  OpenInquiries open = before;
  for (const PreparedEvents::One& one : events.events) {
    if (one.result.repeated) continue;
    if (one.fields.kind == EventKind::kTurnStart) open.StartTurn();
    if (!one.fields.inquiry) continue;
    const std::string key = OpenInquiryKey(*one.fields.inquiry);
    if (one.fields.kind == EventKind::kInquiryRequest) {
      open.Open(key, one.result.seq.value, one.fields.secret);
      continue;
    }
    const auto secret = open.SecretOf(key);
    if (secret && one.fields.answered) {
      return Refuse(ErrorCode::kSecretRefused,
                    fmt::format("inquiry at seq {} asks for a secret: its answer is not stored; append the "
                                "outcome `redacted` instead",
                                *secret));
    }
    open.Close(key);
  }
  return {};
}

Status CheckRedaction(std::span<const Replacement> replacements, const EventView& redaction) {
  if (replacements.empty()) return Invalid("no event to redact");
  if (redaction.kind() != EventKind::kRedaction || redaction.event_id) {
    return Invalid("the event that records a redaction must be a `redaction` without event_id");
  }
  const auto descends = [](const Replacement& one, const Replacement& next) { return one.seq >= next.seq; };
  if (std::ranges::adjacent_find(replacements, descends) != replacements.end()) {
    return Invalid("replacements must be in ascending order of seq");
  }
  return {};
}

std::vector<std::uint64_t> SortedSeqs(std::span<const Seq> seqs) {
  std::vector<std::uint64_t> sorted;
  for (const Seq seq : seqs) sorted.push_back(seq.value);
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  return sorted;
}

}  // namespace turnlog
