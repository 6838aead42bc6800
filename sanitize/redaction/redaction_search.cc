#include "sanitize/redaction/redaction_search.h"

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "sanitize/redaction/arguments_hashes.h"

namespace turnlog {
namespace {

constexpr std::string_view kNameField = "conversation";

}  // namespace

// Returns the last seq read.
Result<Seq> RedactionSearch::ForEachRecord(const ConversationId& id, Seq from, std::vector<Damage>& damage,
                                           const OnRecord& on_record) const {
  Seq last;
  const auto cursor = TURNLOG_TRY(state_.log.ReadRaw(id, {.from = from}));
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    if (std::holds_alternative<EndOfLog>(item)) return last;
    if (const auto* damaged = std::get_if<Damage>(&item)) damage.push_back(*damaged);
    if (const auto* erased = std::get_if<Erased>(&item)) last = erased->seq;
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) continue;
    last = record->seq;
    TURNLOG_TRY(on_record(*record));
    on_read_(record->payload.size());
  }
}

Result<SecretSources> RedactionSearch::Sources(const ConversationId& id) const {
  SecretSources found;
  SearchWatermark searched;
  if (targets_.only_new) {
    const auto known = TURNLOG_TRY(FindSearchWatermark(state_.log, id, state_.search));
    if (known && TURNLOG_TRY(state_.log.Info(id)).last <= known->head) return found;
    searched = known.value_or(searched);
  }
  // An answer of the last turn may belong to a question that is new, and the other way round.
  const Seq from{targets_.secrets ? std::max<std::uint64_t>(searched.turn.value, 1) : searched.head.value + 1};
  SourceFinder finder(id.text(), {targets_.secrets, state_.detector.get(), &state_.accepted}, found.values,
                      found.unsearched);
  finder.AddName();
  const auto on_record = [&](const Record& record) -> Status {
    if (record.kind == EventKind::kTurnStart) searched.turn = record.seq;
    ++found.events_read;
    const EventView event = TURNLOG_TRY(record.Decode());
    finder.Add(record.seq, event);
    return {};
  };
  searched.head = std::max(searched.head, TURNLOG_TRY(ForEachRecord(id, from, found.damage, on_record)));
  found.searched = searched;
  found.sources = finder.Take();
  return found;
}

Result<SecretOccurrences> RedactionSearch::Occurrences(const ConversationId& id) const {
  SecretOccurrences found{.planned = {id, {}, {}}, .kept = {}, .opaque = {}, .damage = {}, .secrets = {}, .hashes = {}};
  if (!state_.finder->Find(id.text()).empty()) {
    found.kept.push_back({.conversation = state_.Shown(id.text()), .field = std::string(kNameField)});
  }
  static const ConversationSources none;
  const auto known = state_.sources.find(id.text());
  const ConversationSources& sources = known != state_.sources.end() ? known->second : none;
  std::vector<PlannedEvent> prints;
  found.planned.seen = TURNLOG_TRY(ForEachRecord(
      id, Seq{1}, found.damage, [&](const Record& record) { return AddOccurrences(record, sources, prints, found); }));
  if (found.planned.events.empty()) return found;
  std::ranges::move(prints, std::back_inserter(found.planned.events));
  std::ranges::sort(found.planned.events, {}, &PlannedEvent::seq);
  return found;
}

// `prints`: import records with a fingerprint, which is removed if something else is.
Status RedactionSearch::AddOccurrences(const Record& record, const ConversationSources& sources,
                                       std::vector<PlannedEvent>& prints, SecretOccurrences& found) const {
  found.may_have_hashes = found.may_have_hashes || MayHaveArgumentsHash(record);
  PlannedEvent event = state_.Look(record);
  if (const auto source = sources.find(record.seq); source != sources.end()) event.source = source->second;
  if (record.kind == EventKind::kUnknown) event.fingerprint = HasFingerprint(TURNLOG_TRY(record.Decode()));
  if (event.is_source() || !event.found.empty()) {
    if (TURNLOG_TRY(Changes(event, record, found))) return found.planned.events.push_back(std::move(event)), Status();
  }
  event.found.clear();
  if (event.fingerprint) prints.push_back(std::move(event));
  return {};
}

// Also records what cannot be changed.
Result<bool> RedactionSearch::Changes(const PlannedEvent& event, const Record& record, SecretOccurrences& found) const {
  const ConversationId& id = found.planned.id;
  // An event with a value only in an id is not changed; the fingerprint alone does not count.
  PlannedEvent without = event;
  without.fingerprint = false;
  const auto rewritten = TURNLOG_TRY(state_.Rewrite(without, record, RedactionState::Extent::kAll));
  for (const std::string& field : rewritten.kept) {
    found.kept.push_back({.conversation = state_.Shown(id.text()), .seq = event.seq, .field = field});
  }
  if (!rewritten.changed) return false;
  const EventView before = TURNLOG_TRY(record.Decode());
  std::ranges::move(HashesOfChanged(before, rewritten.event), std::inserter(found.hashes, found.hashes.end()));
  for (const ValueNumber value : event.found) {
    if (value < state_.first_hash) found.secrets.Add(value, id, record);
  }
  for (std::string& field : TURNLOG_TRY(state_.OpaqueFields(record))) {
    found.opaque.push_back({.conversation = state_.Shown(id.text()), .seq = event.seq, .field = std::move(field)});
  }
  return true;
}

}  // namespace turnlog
