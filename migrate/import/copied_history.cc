#include "migrate/import/copied_history.h"

#include <fmt/format.h>

#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/import/imported_events.h"
#include "migrate/import/logged_records.h"
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
  const auto& parts = imports->last.parts;
  const auto named = parts.find(std::string(part));
  if (named == parts.end()) return Decision(none);
  auto id = ConversationId::Parse(named->second);
  return Decision(id ? std::optional(*std::move(id)) : none);
}

}  // namespace

Result<std::optional<ConversationId>> FindFirst(Log& log, std::string_view format, std::string_view beginning) {
  const auto known = TURNLOG_TRY(log.FindWatermark(kImportConsumer, KeyOf(format, beginning)));
  if (!known) return std::nullopt;
  auto id = ConversationId::Parse(known->state);
  return id ? std::optional(*std::move(id)) : std::nullopt;
}

Result<std::optional<ConversationId>> FindCopied(Log& log, std::string_view format, std::string_view beginning,
                                                 const ConversationId& own) {
  if (auto decision = TURNLOG_TRY(FindDecision(log, kResumedFromPart, own))) return *std::move(decision);
  auto first = TURNLOG_TRY(FindFirst(log, format, beginning));
  return first && *first != own ? std::move(first) : std::nullopt;
}

Result<std::optional<ConversationId>> FindRepeated(Log& log, const RepeatedHistory& other, const ConversationId& own) {
  if (auto decision = TURNLOG_TRY(FindDecision(log, kResumedFromPart, own))) return *std::move(decision);
  const bool repeats = other.conversation != own && TURNLOG_TRY(HasEvent(log, other.conversation, other.first));
  return repeats ? std::optional(other.conversation) : std::nullopt;
}

Result<bool> IsOriginMissing(Log& log, std::string_view origin, const ConversationId& own) {
  const auto id = ConversationId::Parse(origin);
  if (!id || *id == own) return false;
  if (const auto decision = TURNLOG_TRY(FindDecision(log, kOriginMissingPart, own))) return decision->has_value();
  return TURNLOG_TRY(LastSeq(log, *id)).value == 0;
}

Status RememberBeginning(Log& log, std::string_view format, std::string_view beginning, const ConversationId& own) {
  if (TURNLOG_TRY(FindFirst(log, format, beginning))) return {};
  return log.SetWatermark(kImportConsumer, KeyOf(format, beginning), {Seq{0}, own.text()});
}

}  // namespace turnlog
