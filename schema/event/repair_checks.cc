#include "schema/event/repair_checks.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "schema/event/event_fields.h"

namespace turnlog {
namespace {

using Text = std::string_view;
using Item = RepairItemView;

std::unexpected<Error> Invalid(std::string_view field, std::string_view what) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::string(field).append(": ").append(what)});
}

std::string Element(std::string_view list, std::size_t index) {
  return std::string(list).append("[").append(std::to_string(index)).append("]");
}

std::string Member(const std::string& object, std::string_view field) {
  return std::string(object).append(".").append(field);
}

Status CheckTarget(const RepairTargetView& target, const RepairView& repair, const std::string& where) {
  if (static_cast<std::size_t>(target.action) >= fields::kRepairForms.size()) return Invalid(where, "unknown action");
  const fields::RepairForm& form = fields::FormOf(target.action);
  const std::array seqs{std::pair(form.anchor, target.anchor), std::pair(form.cause, target.cause)};
  for (const auto& [field, seq] : seqs) {
    const Text name = fields::kRepairItem[field];
    if (seq < repair.from || seq > repair.to) return Invalid(Member(where, name), "lies outside of from and to");
    const bool needs_event = field == fields::kDrop || field == fields::kMove;
    if (needs_event && seq.value == 0) return Invalid(Member(where, name), "must be at least 1");
  }
  if (target.action == RepairAction::kDrop && target.anchor != target.cause) {
    return Invalid(where, "the cause of a drop is what it drops");
  }
  if (target.action == RepairAction::kMove && target.anchor == target.cause) {
    return Invalid(where, "moves an event to itself");
  }
  return {};
}

Status CheckInserted(const EventView& event, const std::string& where) {
  if (!MayBeInserted(event.kind())) return Invalid(where, "events of this kind are not inserted");
  if (event.source_text) return Invalid(where, "source_text: an inserted event has no source");
  const auto* response = std::get_if<InquiryResponseView>(&event.body);
  if (response != nullptr && response->outcome == Outcome::kAnswered) {
    return Invalid(where, "a repair does not answer inquiries");  // or a secret could come in this way
  }
  return {};
}

Status CheckItem(const Item& item, const RepairView& repair, const std::string& where) {
  TURNLOG_TRY(CheckTarget(item.target, repair, where));
  const bool inserts = item.target.action == RepairAction::kInsert;
  if (inserts != item.event.has_value()) {
    return inserts ? Invalid(where, "event is missing")
                   : Invalid(Member(where, "event"), "does not go with its action");
  }
  return item.event ? CheckInserted(*item.event, Member(where, "event")) : Status();
}

Status CheckRetracted(const Item& item, const RepairView& repair, const std::string& where) {
  TURNLOG_TRY(CheckTarget(item.target, repair, where));
  return item.event ? Invalid(Member(where, "event"), "belongs to items only") : Status();
}

}  // namespace

bool MayBeInserted(EventKind kind) { return !IsGlobal(kind) || kind == EventKind::kCompaction; }

Status CheckRepair(const RepairView& repair) {
  if (repair.head.value > kMaxStoredSeq) return Invalid("head", "must be at most 2^53");
  if (repair.from > repair.to) return Invalid("from", "must not be greater than to");
  if (repair.to > repair.head) return Invalid("to", "must not be greater than head");
  for (std::size_t i = 0; i < repair.undoes.size(); ++i) {
    const Seq undone = repair.undoes[i];
    if (undone.value == 0 || undone > repair.head) return Invalid(Element("undoes", i), "must be from 1 to head");
  }
  for (std::size_t i = 0; i < repair.items.size(); ++i) {
    TURNLOG_TRY(CheckItem(repair.items[i], repair, Element("items", i)));
  }
  for (std::size_t i = 0; i < repair.retracts.size(); ++i) {
    TURNLOG_TRY(CheckRetracted(repair.retracts[i], repair, Element("retracts", i)));
  }
  return {};
}

Status CheckRedaction(const RedactionRecordView& redaction) {
  if (redaction.events > kMaxStoredSeq) return Invalid("events", "must be at most 2^53");
  for (std::size_t i = 0; i < redaction.rules.size(); ++i) {
    const auto& [rule, events, seqs, extra] = redaction.rules[i];
    if (events > kMaxStoredSeq) return Invalid(Member(Element("rules", i), "events"), "must be at most 2^53");
    for (std::size_t j = 0; j < seqs.size(); ++j) {
      const auto& [first, last] = seqs[j];
      if (first.value > 0 && first <= last && last.value <= kMaxStoredSeq) continue;
      return Invalid(Element(Member(Element("rules", i), "seqs"), j), "must be a first and a last seq");
    }
  }
  return {};
}

}  // namespace turnlog
