#include "migrate/jp/saved_again.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <variant>

#include "base/compact_json.h"
#include "migrate/jp/base64_text.h"
#include "migrate/jp/message_pair.h"
#include "migrate/jp/tool_answers.h"
#include "migrate/records/json_object.h"
#include "schema/json/json_scan.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

using FieldsByName = std::unordered_map<std::string, std::string_view>;

// Of a compact text, which must outlive them.
FieldsByName FieldsOf(std::string_view json) {
  FieldsByName fields;
  const JsonObject object = JsonObject::OfValid(json);
  for (const auto& [name, value] : object.fields()) fields.insert_or_assign(UnescapeJson(name), value);
  return fields;
}

std::string_view FieldOf(const FieldsByName& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

// Whether the objects are the same but for this field. Empty: no fields.
bool AreSameWithout(std::string_view name, std::string_view one, std::string_view other) {
  FieldsByName some = FieldsOf(one), others = FieldsOf(other);
  for (FieldsByName* fields : {&some, &others}) fields->erase(std::string(name));
  return some == others;
}

// What jp knows of an event, and does not drop.
constexpr std::array kKeptFields{"arguments", "content", "message", "reasoning", "data",    "name",
                                 "is_error",  "outcome", "answer",  "reason",    "summary", "tool_calls"};

class SavedEvent {
 public:
  SavedEvent(const EventView& stored, const EventView& event)
      : stored_(stored), event_(event), old_text_(Text(stored)), text_(Text(event)), old_(FieldsOf(old_text_)) {}

  bool IsSaved() const {
    const FieldsByName now = FieldsOf(text_);
    const bool metadata = AreSameWithout(kMessagePair, FieldOf(old_, "metadata"), FieldOf(now, "metadata"));
    const auto is_kept = [&](const char* name) { return FieldOf(old_, name).empty() == FieldOf(now, name).empty(); };
    return metadata && std::ranges::all_of(kKeptFields, is_kept) &&
           std::ranges::all_of(now, [&](const auto& field) { return Field(field.first, field.second); });
  }

 private:
  static std::string Text(EventView event) {
    event.source_text.reset();
    return CompactJson(ToJson(event));
  }

  bool Field(const std::string& name, std::string_view value) const {
    const std::string_view old = FieldOf(old_, name);
    if (old == value || name == "metadata") return true;
    if (name == "timestamp") return !stored_.timestamp || stored_.timestamp == event_.timestamp;
    if (name == "event_id" || name == "request_id") return old.empty();
    if (name == "arguments") return AreSameWithout(kToolAnswers, old, value);
    if (name == "content") return IsEncodedTwice();
    const bool open = name == "question" || name == "source" || IsGlobal(event_.kind());
    return open && IsPartOf(value, old);
  }

  bool IsEncodedTwice() const {
    const auto* result = std::get_if<BasicToolCallResponse<std::string_view>>(&event_.body);
    const auto* old = std::get_if<BasicToolCallResponse<std::string_view>>(&stored_.body);
    if (result == nullptr || old == nullptr) return false;
    std::string content(result->content);
    DecodeJpContent(content);
    return content == old->content;
  }

  const EventView& stored_;
  const EventView& event_;
  const std::string old_text_, text_;
  const FieldsByName old_;
};

}  // namespace

bool IsSavedAgainByJp(const EventView& stored, const EventView& event) {
  const EventKind kind = event.kind();
  return kind == stored.kind() && kind != EventKind::kUnknown && SavedEvent(stored, event).IsSaved();
}

bool IsPartOf(std::string_view less, std::string_view more) {
  if (less.starts_with('{')) {
    const FieldsByName all = FieldsOf(more);
    return std::ranges::all_of(FieldsOf(less), [&](const auto& field) {
      const std::string_view value = FieldOf(all, field.first);
      return value.empty() ? field.second == "{}" : IsPartOf(field.second, value);
    });
  }
  if (!less.starts_with('[')) return less == more;
  return more.starts_with('[') && std::ranges::equal(ElementsOf(less), ElementsOf(more), IsPartOf);
}

}  // namespace turnlog
