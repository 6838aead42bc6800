#include "migrate/logged/copied_history.h"

#include <fmt/format.h>

#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/logged_records.h"
#include "migrate/records/record_source.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

// A watermark of a conversation that does not exist.
ConversationId KeyOf(std::string_view format, std::string_view beginning) {
  const Hash128 hash = HashId(fmt::format("{}\n{}", format, beginning), 0);
  return ConversationId::Parse(fmt::format("import-beginning-{:016x}{:016x}", hash.high, hash.low)).value();
}

// The conversation that the part of `own`'s import record names. The outer one is empty if the log does not have `own`.
using Decision = std::optional<std::optional<ConversationId>>;

Result<Decision> FindDecision(Log& log, std::string_view part, const ConversationId& own) {
  const Seq last = TURNLOG_TRY(LastSeq(log, own));
  if (last.value == 0) return Decision();
  const std::optional<ConversationId> none;
  const auto imports = TURNLOG_TRY(FindImports(log, own, last));
  if (!imports) return Decision(none);
  auto id = ConversationId::Parse(imports->last.Part(part));
  return Decision(id ? std::optional(*std::move(id)) : none);
}

// The conversation that had the beginning before `own`. If none had, it is `own` from now on.
Result<std::optional<ConversationId>> FindBefore(Log& log, std::string_view format, std::string_view beginning,
                                                 const ConversationId& own) {
  auto decision = TURNLOG_TRY(FindDecision(log, kResumedFromPart, own));
  auto first = TURNLOG_TRY(FindFirst(log, format, beginning));
  if (!first && !(decision && *decision)) {
    TURNLOG_TRY(log.SetWatermark(kImportConsumer, KeyOf(format, beginning), {Seq{0}, own.text()}));
  }
  if (decision) return *std::move(decision);
  return first && *first != own ? std::move(first) : std::nullopt;
}

// The other conversation, if the log has the first record of the source there, and not in its own.
Result<std::optional<ConversationId>> FindRepeated(Log& log, const RepeatedHistory& other, const ConversationId& own) {
  if (other.conversation == own || TURNLOG_TRY(HasEvent(log, own, other.first))) return std::nullopt;
  if (auto decision = TURNLOG_TRY(FindDecision(log, kResumedFromPart, own)); decision && *decision) return *decision;
  const bool repeats = TURNLOG_TRY(HasEvent(log, other.conversation, other.first));
  return repeats ? std::optional(other.conversation) : std::nullopt;
}

// The origin, if the copy is all that the log has of it.
Result<std::optional<ConversationId>> FindMissing(Log& log, std::string_view origin, const ConversationId& own) {
  auto id = ConversationId::Parse(origin);
  if (!id || *id == own) return std::nullopt;
  if (auto decision = TURNLOG_TRY(FindDecision(log, kOriginMissingPart, own))) return *std::move(decision);
  const bool known = TURNLOG_TRY(LastSeq(log, *id)).value > 0;
  return known ? std::nullopt : std::optional(*std::move(id));
}

}  // namespace

Result<std::optional<ConversationId>> FindFirst(Log& log, std::string_view format, std::string_view beginning) {
  const auto known = TURNLOG_TRY(log.FindWatermark(kImportConsumer, KeyOf(format, beginning)));
  if (!known) return std::nullopt;
  auto id = ConversationId::Parse(known->state);
  return id ? std::optional(*std::move(id)) : std::nullopt;
}

void CopiedHistory::Mark(RecordFile& first) const {
  const std::string_view part = missing ? kOriginMissingPart : kResumedFromPart;
  first.parts.push_back({.name = std::string(part), .bytes = conversation.text()});
  first.keeps_copies = missing;
}

Result<std::optional<CopiedHistory>> FindCopiedHistory(Log& log, const Format& format, Source& source) {
  const ImportFormat& import = format.import;
  const auto ask = [&source](auto* what) { return what != nullptr ? what(source) : std::nullopt; };
  const auto origin = ask(import.origin_of);
  const auto repeated = ask(import.may_repeat);
  const auto beginning = ask(import.beginning_of);
  if (!origin && !repeated && !beginning) return std::nullopt;
  const auto own = ConversationId::Parse(import.record_files(source).front().conversation);
  if (!own) return std::nullopt;
  auto copied = origin     ? TURNLOG_TRY(FindMissing(log, *origin, *own))
                : repeated ? TURNLOG_TRY(FindRepeated(log, *repeated, *own))
                           : TURNLOG_TRY(FindBefore(log, format.name, *beginning, *own));
  if (!copied) return std::nullopt;
  return CopiedHistory{*std::move(copied), origin.has_value()};
}

}  // namespace turnlog
