#include "schema/event/repair_json_parse.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "schema/event/event_fields.h"
#include "schema/event/event_reader.h"
#include "schema/event/repair_checks.h"

namespace turnlog {
namespace {

using Object = JsonReader::Object;
using Value = JsonReader::Value;
using Item = RepairItemView;

Read<std::uint64_t> ReadNumber(JsonReader& json, Value value) {
  const std::uint64_t number = TURNLOG_TRY(json.Unsigned(value));
  if (number > kMaxStoredSeq) return json.Fault(value, "must be at most 2^53");
  return number;
}

Read<Seq> ReadSeq(JsonReader& json, Value value) { return Seq{TURNLOG_TRY(ReadNumber(json, value))}; }

// The form that an object with these fields has.
Read<const fields::RepairForm*> FindForm(const Object& object, FieldSet seen, bool with_event) {
  const auto form =
      std::ranges::find_if(fields::kRepairForms, [&](const auto& candidate) { return seen.Has(candidate.mark); });
  if (form == fields::kRepairForms.end()) {
    return JsonReader::Fault(object.byte, "drop, insert_after or move is missing");
  }
  for (std::size_t field = 0; field < fields::kRepairItem.size(); ++field) {
    const bool belongs = form->Has(field) && (with_event || field != fields::kEvent);
    if (belongs == seen.Has(field)) continue;
    const std::string name(fields::kRepairItem[field]);
    if (belongs) return JsonReader::Fault(object.byte, name + " is missing");
    const std::string what =
        form->Has(field) ? "belongs to items only" : "does not go with " + std::string(fields::kRepairItem[form->mark]);
    return JsonReader::In(name, JsonReader::Fault(object.byte, what).error());
  }
  return &*form;
}

// `with_event`: what is retracted is named without its event.
Read<Item> ReadItem(JsonReader& json, Value value, bool with_event) {
  Object object = TURNLOG_TRY(json.OpenObject(value));
  std::array<Seq, fields::kRepairItem.size()> numbers;
  Item item;
  const auto on_field = [&](std::size_t field, Value inner) -> Read<void> {
    if (field == fields::kRule) {
      item.target.rule = TURNLOG_TRY(json.Id(inner));
    } else if (field != fields::kEvent) {
      numbers[field] = TURNLOG_TRY(ReadSeq(json, inner));
    } else if (with_event) {
      item.event = TURNLOG_TRY(ReadInsertedEvent(json, inner));
    } else {
      TURNLOG_TRY(json.Raw(inner));
    }
    return {};
  };
  const FieldSet seen = TURNLOG_TRY(json.Fields(object, fields::kRepairItem, item.extra, on_field));
  const fields::RepairForm* const form = TURNLOG_TRY(FindForm(object, seen, with_event));
  item.target.action = form->action;
  item.target.anchor = numbers[form->anchor];
  item.target.cause = numbers[form->cause];
  return item;
}

Read<void> ReadItems(JsonReader& json, Value value, bool with_event, std::vector<Item>& items) {
  return json.Array(value, [&](Value element) -> Read<void> {
    items.push_back(TURNLOG_TRY(ReadItem(json, element, with_event)));
    return {};
  });
}

Read<SeqRange> ReadRange(JsonReader& json, Value value) {
  constexpr const char* kShape = "a range is a first and a last seq";
  std::vector<Seq> pair;
  const auto read = json.Array(value, [&](Value element) -> Read<void> {
    if (pair.size() == 2) return json.Fault(element, kShape);
    pair.push_back(TURNLOG_TRY(ReadSeq(json, element)));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  if (pair.size() != 2) return json.Fault(value, kShape);
  return SeqRange{pair[0], pair[1]};
}

Read<RedactedByRuleView> ReadRule(JsonReader& json, Value value) {
  Object object = TURNLOG_TRY(json.OpenObject(value));
  RedactedByRuleView rule;
  const auto on_field = [&](std::size_t field, Value inner) -> Read<void> {
    if (field == fields::kRedactedRule) rule.rule = TURNLOG_TRY(json.Id(inner));
    if (field == fields::kRedactedEvents) rule.events = TURNLOG_TRY(ReadNumber(json, inner));
    if (field != fields::kRedactedSeqs) return {};
    return json.Array(inner, [&](Value range) -> Read<void> {
      rule.seqs.push_back(TURNLOG_TRY(ReadRange(json, range)));
      return {};
    });
  };
  const FieldSet seen = TURNLOG_TRY(json.Fields(object, fields::kRedactedByRule, rule.extra, on_field));
  TURNLOG_TRY(JsonReader::Require(object, fields::kRedactedByRule, seen,
                                  {fields::kRedactedRule, fields::kRedactedEvents, fields::kRedactedSeqs}));
  return rule;
}

}  // namespace

Read<void> ReadRepairField(JsonReader& json, std::size_t field, Value value, RepairView& repair) {
  switch (static_cast<fields::RepairField>(field)) {
    case fields::kProfile:
      repair.profile = TURNLOG_TRY(json.Id(value));
      break;
    case fields::kHead:
      repair.head = TURNLOG_TRY(ReadSeq(json, value));
      break;
    case fields::kFrom:
      repair.from = TURNLOG_TRY(ReadSeq(json, value));
      break;
    case fields::kTo:
      repair.to = TURNLOG_TRY(ReadSeq(json, value));
      break;
    case fields::kItems:
      return ReadItems(json, value, true, repair.items);
    case fields::kRetracts:
      return ReadItems(json, value, false, repair.retracts);
    case fields::kUndoes:
      return json.Array(value, [&](Value element) -> Read<void> {
        repair.undoes.push_back(TURNLOG_TRY(ReadSeq(json, element)));
        return {};
      });
  }
  return {};
}

Read<void> ReadRedactionField(JsonReader& json, std::size_t field, Value value, RedactionRecordView& redaction) {
  switch (static_cast<fields::RedactionField>(field)) {
    case fields::kBy:
      redaction.by = TURNLOG_TRY(json.String(value));
      break;
    case fields::kEvents:
      redaction.events = TURNLOG_TRY(ReadNumber(json, value));
      break;
    case fields::kRules:
      return json.Array(value, [&](Value element) -> Read<void> {
        redaction.rules.push_back(TURNLOG_TRY(ReadRule(json, element)));
        return {};
      });
  }
  return {};
}

}  // namespace turnlog
