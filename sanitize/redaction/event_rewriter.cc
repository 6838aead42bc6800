#include "sanitize/redaction/event_rewriter.h"

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "sanitize/redaction/redacted_import.h"
#include "sanitize/redaction/redacted_template.h"
#include "schema/event/event_texts.h"
#include "schema/event/import_event.h"
#include "schema/event/template_marks.h"
#include "schema/json/json_fields.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/event_json.h"
#include "turnlog/repair.h"

namespace turnlog {
namespace {

struct Field {
  std::string_view name;
  TextSpan value;
};

// The first field of each name in an object, as a reader finds it.
std::vector<Field> FindFields(std::string_view json, std::span<const std::string_view> names) {
  std::vector<Field> found;
  if (!json.starts_with('{')) return found;
  for (JsonFields fields(json); fields.Next().value_or(false);) {
    const auto name = std::ranges::find_if(names, [&](std::string_view wanted) { return fields.KeyIs(wanted); });
    if (name == names.end() || std::ranges::find(found, *name, &Field::name) != found.end()) continue;
    const auto begin = static_cast<std::size_t>(fields.value().data() - json.data());
    found.push_back({*name, {begin, begin + fields.value().size()}});
  }
  return found;
}

// The fields that identify a verbatim event, also for readers of an export.
std::vector<Field> IdFields(std::string_view json) {
  static constexpr std::array<std::string_view, 3> kNames{"type", "timestamp", "event_id"};
  return FindFields(json, kNames);
}

bool Touches(const TextSpan& one, const TextSpan& other) { return one.begin < other.end && other.begin < one.end; }

class Rewriter {
 public:
  explicit Rewriter(const EventChange& change) : change_(change) {}

  Result<RewrittenEvent> Rewrite(const EventView& event) {
    result_.event = event;
    if (change_.hide_answer) HideAnswer();
    drop_source_ = result_.changed;  // an answer is hidden in whatever form it is there
    if (IsVerbatimRepair(event)) {
      TURNLOG_TRY(RewriteVerbatimRepair(event));
      return std::move(result_);
    }
    ForEachText(result_.event, [&](std::string_view field, TextKind kind, std::string_view& text) {
      RewriteField(field, kind, text);
    });
    if (result_.changed && IsImportEvent(result_.event)) MarkImport(event);
    if (change_.clear_fingerprint) ClearFingerprint();
    if (drop_source_) result_.event.source_text.reset();
    return std::move(result_);
  }

 private:
  void HideAnswer() {
    auto* response = std::get_if<BasicInquiryResponse<std::string_view>>(&result_.event.body);
    if (response == nullptr || response->outcome != Outcome::kAnswered) return;
    *response = {Outcome::kRedacted, response->id, {}, {}, response->responder};
    if (!FindEditedArguments(result_.event.metadata).empty()) result_.event.metadata = {};
    result_.changed = true;
  }

  void RewriteField(std::string_view field, TextKind kind, std::string_view& text) {
    switch (kind) {
      case TextKind::kText:
        return Replace(RedactText(change_.find, text), text);
      case TextKind::kJson:
        return Replace(RedactJson(change_.find, text), text);
      case TextKind::kVerbatim:
        return RewriteVerbatim(text);
      case TextKind::kSource:
        return RewriteSource(text);
      case TextKind::kId:
        if (!change_.find(text).empty()) Keep(field);
        return;
    }
  }

  // It comes after all other texts. Without marks it repeats them, in a form that the search may not know.
  void RewriteSource(std::string_view& text) {
    if (drop_source_) return;
    if (change_.find(text).empty()) {
      drop_source_ = result_.changed && text.find_first_of(kTemplateMarks) == std::string_view::npos;
      return;
    }
    auto redacted = RedactTemplate(change_.find, text);
    drop_source_ = !redacted;
    result_.changed = true;
    Replace(std::move(redacted), text);
  }

  void RewriteVerbatim(std::string_view& json) {
    const FindSpans find = [&](std::string_view text) {
      std::vector<TextSpan> spans = change_.find(text);
      const std::vector<Field> ids = spans.empty() ? std::vector<Field>() : IdFields(text);
      std::erase_if(spans, [&](const TextSpan& span) {
        return std::ranges::any_of(ids, [&](const Field& id) { return Touches(id.value, span); });
      });
      return spans;
    };
    Replace(RedactJson(find, json), json);
    const std::vector<TextSpan> left = change_.find(json);
    for (const Field& id : left.empty() ? std::vector<Field>() : IdFields(json)) {
      if (std::ranges::any_of(left, [&](const TextSpan& span) { return Touches(id.value, span); })) Keep(id.name);
    }
  }

  static bool IsJsonOf(const EventView& event, std::string_view json) {
    std::string text = ToJson(event);
    const bool same = text == json;
    Wipe(text);
    return same;
  }

  static bool IsVerbatimRepair(const EventView& event) {
    return event.kind() == EventKind::kRepair && std::holds_alternative<BasicVerbatim<std::string_view>>(event.body);
  }

  // Converts the form of older writers to a typed event, so that the events that it names and contains stay consistent
  // with others. Drops unknown fields.
  Status RewriteVerbatimRepair(const EventView& event) {
    const std::string_view json = std::get<BasicVerbatim<std::string_view>>(event.body).json.text();
    if (change_.find(json).empty()) return {};
    auto repair = ReadRepair(event);
    if (!repair) return std::unexpected(Error{ErrorCode::kCorruption, std::move(repair).error().message});
    const Event& typed = result_.events.emplace_back(ToEvent(*std::move(repair), event.timestamp));
    const RewrittenEvent rewritten = TURNLOG_TRY(RewriteEvent(View(typed), change_));
    result_.kept = rewritten.kept;
    if (rewritten.changed || !IsJsonOf(rewritten.event, json)) {
      result_.event = View(result_.events.emplace_back(Own(rewritten.event)));
      result_.changed = true;
    }
    return {};
  }

  // Marks the record itself, so that every copy is marked: redacted parts must not be imported again.
  void MarkImport(const EventView& before) {
    auto& verbatim = std::get<BasicVerbatim<std::string_view>>(result_.event.body);
    const std::string_view json = verbatim.json.text();
    if (!json.ends_with('}')) return;
    std::string& marked = result_.texts.emplace_back();
    marked = MarkRedactedParts(std::get<BasicVerbatim<std::string_view>>(before.body).json.text(), json);
    verbatim.json = JsonView::FromTrusted(marked);
  }

  void ClearFingerprint() {
    auto* verbatim = std::get_if<BasicVerbatim<std::string_view>>(&result_.event.body);
    if (verbatim == nullptr || !HasFingerprint(result_.event)) return;
    const std::string_view json = verbatim->json.text();
    const TextSpan value = FindFields(json, {&kImportFingerprint, 1}).front().value;
    std::string& cleared = result_.texts.emplace_back();
    cleared.reserve(json.size());
    cleared.append(json.substr(0, value.begin)).append("\"\"").append(json.substr(value.end));
    verbatim->json = JsonView::FromTrusted(cleared);
    result_.changed = true;
  }

  void Replace(std::optional<std::string> redacted, std::string_view& text) {
    if (!redacted) return;
    text = result_.texts.emplace_back(*std::move(redacted));
    result_.changed = true;
  }

  void Keep(std::string_view field) {
    if (std::ranges::find(result_.kept, field) == result_.kept.end()) result_.kept.emplace_back(field);
  }

  const EventChange& change_;
  RewrittenEvent result_;
  bool drop_source_ = false;
};

}  // namespace

RewrittenEvent::~RewrittenEvent() {
  std::ranges::for_each(texts, Wipe);
  std::ranges::for_each(events, WipeTexts);
}

Result<RewrittenEvent> RewriteEvent(const EventView& event, const EventChange& change) {
  return Rewriter(change).Rewrite(event);
}

bool HasFingerprint(const EventView& event) {
  if (!IsImportEvent(event)) return false;
  const auto& verbatim = std::get<BasicVerbatim<std::string_view>>(event.body);
  const auto found = FindFields(verbatim.json.text(), {&kImportFingerprint, 1});
  return !found.empty() && found.front().value.size() > std::string_view("\"\"").size();
}

void WipeTexts(Event& event) {
  EventView view = View(event);
  // The const_cast is valid: the memory belongs to the non-const event.
  ForEachText(view, [](std::string_view, TextKind, std::string_view& text) {
    ::explicit_bzero(const_cast<char*>(text.data()), text.size());
  });
}

}  // namespace turnlog
