#include "turnlog/repair.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "base/try.h"
#include "schema/json_reader.h"
#include "schema/json_scan.h"
#include "schema/json_writer.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

using Object = JsonReader::Object;
using Value = JsonReader::Value;

// Numbers up to here are exact in every reader of JSON.
constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 53;

enum Field { kType, kTimestamp, kProfile, kHead, kFrom, kTo, kItems, kRetracts, kUndoes };
constexpr std::array<std::string_view, 9> kRepairFields{"type", "timestamp", "profile",  "head",  "from",
                                                        "to",   "items",     "retracts", "undoes"};

enum ItemField { kDrop, kInsertAfter, kMove, kToAfter, kCause, kRule, kEvent, kItemFieldCount };
constexpr std::array<std::string_view, kItemFieldCount> kItemFields{"drop",  "insert_after", "move", "to_after",
                                                                    "cause", "rule",         "event"};

// How an action is written: the field that tells it from others, and those that name its place and its cause.
struct Form {
  RepairAction action;
  ItemField mark, place, cause;

  bool Has(std::size_t field) const {
    return field == place || field == cause || field == kRule || (field == kEvent && action == RepairAction::kInsert);
  }
};

constexpr std::array<Form, 3> kForms{{
    {RepairAction::kDrop, kDrop, kDrop, kDrop},
    {RepairAction::kInsert, kInsertAfter, kInsertAfter, kCause},
    {RepairAction::kMove, kMove, kToAfter, kMove},
}};

const Form& FormOf(RepairAction action) { return kForms[static_cast<std::size_t>(action)]; }

// --- Writing ---

void AppendTarget(const RepairTarget& target, JsonWriter& json) {
  const Form& form = FormOf(target.action);
  if (target.action == RepairAction::kMove) json.Key(kItemFields[kMove]), json.Unsigned(target.cause.value);
  json.Key(kItemFields[form.place]), json.Unsigned(target.place.value);
  if (target.action == RepairAction::kInsert) json.Key(kItemFields[kCause]), json.Unsigned(target.cause.value);
  json.Field(kItemFields[kRule], target.rule);
}

// A verbatim event keeps its line breaks.
void AppendEvent(const Event& event, JsonWriter& json) {
  const auto* verbatim = std::get_if<Verbatim>(&event.body);
  json.Exactly(verbatim != nullptr ? verbatim->json.text() : ToJson(View(event)));
}

template <class List, class Append>
void AppendList(std::string_view key, const List& list, JsonWriter& json, Append append) {
  if (list.empty()) return;
  json.Key(key), json.StartArray();
  for (const auto& element : list) append(element);
  json.EndArray();
}

void AppendRepair(const Repair& repair, const std::optional<Timestamp>& timestamp, JsonWriter& json) {
  json.StartObject();
  json.Field("type", ToString(EventKind::kRepair));
  if (timestamp) json.Field("timestamp", timestamp->ToRfc3339());
  json.Field("profile", repair.profile);
  json.Key("head"), json.Unsigned(repair.head.value);
  json.Key("from"), json.Unsigned(repair.from.value);
  json.Key("to"), json.Unsigned(repair.to.value);
  AppendList("items", repair.items, json, [&](const RepairItem& item) {
    json.StartObject();
    AppendTarget(item.target, json);
    if (item.event) json.Key(kItemFields[kEvent]), AppendEvent(*item.event, json);
    json.EndObject();
  });
  AppendList("retracts", repair.retracts, json, [&](const RepairTarget& target) {
    json.StartObject();
    AppendTarget(target, json);
    json.EndObject();
  });
  AppendList("undoes", repair.undoes, json, [&](Seq seq) { json.Unsigned(seq.value); });
  json.EndObject();
}

// --- Reading ---

// By its first `type`, which is the one that counts.
std::optional<EventKind> FindKind(std::string_view object) {
  JsonFields fields(object);
  while (fields.Next().value_or(false)) {
    if (!fields.KeyIs("type")) continue;
    if (!fields.value().starts_with('"')) return std::nullopt;
    return KindFromName(UnescapeJson(fields.value()));
  }
  return std::nullopt;
}

class RepairReader {
 public:
  Read<Repair> Parse(std::string_view text) {
    Object object = TURNLOG_TRY(json_.Open(text));
    JsonView unknown;
    const auto on_field = [&](std::size_t index, Value value) { return ReadField(index, value); };
    const FieldSet seen = TURNLOG_TRY(json_.Fields(object, kRepairFields, unknown, on_field));
    TURNLOG_TRY(json_.Close());
    TURNLOG_TRY(JsonReader::Require(object, kRepairFields, seen, {kProfile, kHead, kFrom, kTo}));
    return std::move(repair_);
  }

 private:
  Read<void> ReadField(std::size_t index, Value value) {
    switch (static_cast<Field>(index)) {
      case kType:
      case kTimestamp:
        TURNLOG_TRY(json_.Raw(value));
        break;  // the event has them
      case kProfile:
        repair_.profile = TURNLOG_TRY(json_.Id(value));
        break;
      case kHead:
        repair_.head = TURNLOG_TRY(Number(value));
        break;
      case kFrom:
        repair_.from = TURNLOG_TRY(Number(value));
        break;
      case kTo:
        repair_.to = TURNLOG_TRY(Number(value));
        break;
      case kItems:
        return json_.Array(value, [&](Value element) { return ReadItem(element); });
      case kRetracts:
        return json_.Array(value, [&](Value element) -> Read<void> {
          repair_.retracts.push_back(TURNLOG_TRY(ReadTarget(element, nullptr)));
          return {};
        });
      case kUndoes:
        return json_.Array(value, [&](Value element) -> Read<void> {
          repair_.undoes.push_back(TURNLOG_TRY(Number(element)));
          return {};
        });
    }
    return {};
  }

  Read<Seq> Number(Value value) {
    const std::uint64_t number = TURNLOG_TRY(json_.Unsigned(value));
    if (number > kMaxNumber) return json_.Fault(value, "must be at most 2^53");
    return Seq{number};
  }

  Read<void> ReadItem(Value value) {
    RepairItem item;
    item.target = TURNLOG_TRY(ReadTarget(value, &item.event));
    repair_.items.push_back(std::move(item));
    return {};
  }

  // `event`: where the inserted event goes; none where only the target is named.
  Read<RepairTarget> ReadTarget(Value value, std::optional<Event>* event) {
    Object object = TURNLOG_TRY(json_.OpenObject(value));
    std::array<Seq, kItemFieldCount> numbers;
    RepairTarget target;
    JsonView unknown;
    const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
      if (index == kRule) {
        target.rule = TURNLOG_TRY(json_.Id(field));
      } else if (index != kEvent) {
        numbers[index] = TURNLOG_TRY(Number(field));
      } else if (event != nullptr) {
        *event = TURNLOG_TRY(ReadEvent(field));
      } else {
        TURNLOG_TRY(json_.Raw(field));
      }
      return {};
    };
    const FieldSet seen = TURNLOG_TRY(json_.Fields(object, kItemFields, unknown, on_field));
    const Form* const form = TURNLOG_TRY(FindForm(object, seen, event != nullptr));
    target.action = form->action;
    target.place = numbers[form->place];
    target.cause = numbers[form->cause];
    return target;
  }

  static Read<const Form*> FindForm(const Object& object, FieldSet seen, bool with_event) {
    const auto form = std::ranges::find_if(kForms, [&](const Form& candidate) { return seen.Has(candidate.mark); });
    if (form == kForms.end()) return JsonReader::Fault(object.byte, "drop, insert_after or move is missing");
    for (std::size_t field = 0; field < kItemFieldCount; ++field) {
      const bool belongs = form->Has(field) && (with_event || field != kEvent);
      if (belongs == seen.Has(field)) continue;
      const std::string name(kItemFields[field]);
      if (belongs) return JsonReader::Fault(object.byte, name + " is missing");
      const std::string what =
          form->Has(field) ? "belongs to items only" : "does not go with " + std::string(kItemFields[form->mark]);
      return JsonReader::In(name, JsonReader::Fault(object.byte, what).error());
    }
    return &*form;
  }

  Read<Event> ReadEvent(Value value) {
    const JsonView text = TURNLOG_TRY(json_.RawObject(value));
    // Looked at first, or a repair within a repair would be parsed.
    const auto kind = FindKind(text.text());
    if (!kind) return json_.Fault(value, "type is missing");
    if (IsGlobal(*kind) && kind != EventKind::kCompaction) {
      return json_.Fault(value, "events of this kind are not inserted");
    }
    const auto event = event_parser_.Parse(text.text());
    if (!event) return json_.Fault(value, event.error().message);
    if (const Status valid = Validate(*event); !valid) return json_.Fault(value, valid.error().message);
    if (event->source_text) return json_.Fault(value, "source_text: what is inserted has stood nowhere");
    const auto* response = std::get_if<BasicInquiryResponse<std::string_view>>(&event->body);
    if (response != nullptr && response->outcome == Outcome::kAnswered) {
      return json_.Fault(value, "a repair does not answer inquiries");
    }
    return Own(*event);
  }

  JsonReader json_;
  EventParser event_parser_;
  Repair repair_;
};

// --- Checking ---

std::unexpected<Error> Invalid(std::string_view where, std::string_view what) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::string(where).append(": ").append(what)});
}

Status CheckTarget(const RepairTarget& target, const Repair& repair, const std::string& where) {
  const Form& form = FormOf(target.action);
  const std::array places{std::pair(form.place, target.place), std::pair(form.cause, target.cause)};
  for (const auto& [field, seq] : places) {
    const std::string name = where + "." + std::string(kItemFields[field]);
    if (seq < repair.from || seq > repair.to) return Invalid(name, "lies outside of from and to");
    const bool needs_event = field == kDrop || field == kMove;
    if (needs_event && seq.value == 0) return Invalid(name, "must be at least 1");
  }
  if (target.action == RepairAction::kMove && target.place == target.cause) {
    return Invalid(where, "moves an event behind itself");
  }
  return {};
}

template <class List, class TargetOf>
Status CheckTargets(const List& list, const Repair& repair, std::string_view name, TargetOf target_of) {
  std::set<RepairTarget> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const RepairTarget& target = target_of(list[i]);
    const std::string where = std::string(name) + "[" + std::to_string(i) + "]";
    TURNLOG_TRY(CheckTarget(target, repair, where));
    if (!seen.insert(target).second) return Invalid(where, "is there twice");
  }
  return {};
}

Status Check(const Repair& repair) {
  if (repair.from > repair.to) return Invalid("from", "lies behind to");
  if (repair.to > repair.head) return Invalid("to", "lies behind head");
  for (std::size_t i = 0; i < repair.undoes.size(); ++i) {
    const Seq undone = repair.undoes[i];
    if (undone.value == 0 || undone > repair.head) {
      return Invalid("undoes[" + std::to_string(i) + "]", "must be from 1 to head");
    }
  }
  TURNLOG_TRY(CheckTargets(repair.items, repair, "items",
                           [](const RepairItem& item) -> const RepairTarget& { return item.target; }));
  return CheckTargets(repair.retracts, repair, "retracts", std::identity());
}

}  // namespace

Event ToEvent(const Repair& repair, std::optional<Timestamp> timestamp) {
  std::string text;
  JsonWriter json(text);
  AppendRepair(repair, timestamp, json);
  Event event;
  event.body =
      Verbatim{EventKind::kRepair, std::string(ToString(EventKind::kRepair)), Json::FromTrusted(std::move(text))};
  event.timestamp = timestamp;
  return event;
}

Result<Repair> ParseRepair(const EventView& event) {
  const auto* verbatim = std::get_if<BasicVerbatim<std::string_view>>(&event.body);
  if (verbatim == nullptr || verbatim->kind != EventKind::kRepair) return Invalid("type", "is not repair");
  auto repair = RepairReader().Parse(verbatim->json.text());
  if (!repair) {
    const ReadFault& fault = repair.error();
    if (!fault.path.empty()) return Invalid(fault.path, fault.what);
    return std::unexpected(Error{ErrorCode::kInvalidArgument, fault.what});
  }
  TURNLOG_TRY(Check(*repair));
  return *std::move(repair);
}

}  // namespace turnlog
