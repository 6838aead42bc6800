#include "migrate/import/copied_history.h"

#include <fmt/format.h>

#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/import/imported_events.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

// A watermark of a conversation that does not exist.
ConversationId KeyOf(std::string_view format, std::string_view beginning) {
  const Hash128 hash = HashId(fmt::format("{}\n{}", format, beginning), 0);
  return ConversationId::Parse(fmt::format("import-beginning-{:016x}{:016x}", hash.high, hash.low)).value();
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
  const auto info = log.Info(own);
  if (!info && info.error().code != ErrorCode::kNotFound) return std::unexpected(info.error());
  if (info) {
    const auto imports = TURNLOG_TRY(FindImports(log, own, info->last));
    if (!imports) return std::nullopt;
    const auto& parts = imports->last.parts;
    const auto part = parts.find(std::string(kResumedFromPart));
    if (part == parts.end()) return std::nullopt;
    auto id = ConversationId::Parse(part->second);
    return id ? std::optional(*std::move(id)) : std::nullopt;
  }
  auto first = TURNLOG_TRY(FindFirst(log, format, beginning));
  return first && *first != own ? std::move(first) : std::nullopt;
}

Status RememberBeginning(Log& log, std::string_view format, std::string_view beginning, const ConversationId& own) {
  if (TURNLOG_TRY(FindFirst(log, format, beginning))) return {};
  return log.SetWatermark(kImportConsumer, KeyOf(format, beginning), {Seq{0}, own.text()});
}

}  // namespace turnlog
