// What jp requires of a conversation: one element that it cannot read makes it refuse all of them. Calls without
// results are no fault, because jp adds results to what it sends.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "doctor/session_checks.h"
#include "migrate/jp/element.h"
#include "migrate/jp/loadable.h"
#include "migrate/jp/record.h"

namespace turnlog {
namespace {

// What precedes the kind of an element that jp cannot read: it keeps elements of unknown kinds as they are.
bool MayBeInTurnStart(std::string_view name) {
  return name == R"("timestamp")" || name == R"("type")" || name == R"("metadata")";
}

class JpEvents final : public SessionChecks {
 public:
  explicit JpEvents(const CheckContext& context) : context_(context), is_old_(context.file_name == kJpMessagesFile) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) override {
    const bool first = std::exchange(first_, false);
    if (first && is_old_) context_.diagnosis.Add("jp-old-layout", record, false);
    if (!record.is_exact() || is_old_) return;
    if (!CheckHead(record, first)) return;
    const JpElement element = parser_.Parse({piece.lead, piece.bytes}, {.begins_file = first, .first = first});
    const auto loads = [](const Event& event) { return JpLoads(View(event)); };
    if (element.fault || !std::ranges::all_of(element.events, loads)) {
      MakeUnknown(record, element.fault ? element.fault->reason : "jp does not know such a value");
    } else if (record.object().String("type") == "turn_start") {
      CheckTurnStart(record);
    }
  }

  void Finish() override {}

 private:
  // jp takes the first element of older files without a time.
  bool CheckHead(const SessionRecord& record, bool first) {
    const JsonObject& object = record.object();
    if (IsJsonString(object["timestamp"])) time_ = object["timestamp"];
    const bool is_config = first && object.String("type") == "config_delta";
    if (!object["timestamp"].empty() || is_config) return true;
    const bool mended = !time_.empty() && !object.fields().empty();
    context_.diagnosis.Add("jp-element", record, mended, "timestamp: missing");
    if (mended) context_.diagnosis.edits().Insert(record.begin() + 1, fmt::format("\"timestamp\": {},", time_));
    return false;
  }

  void MakeUnknown(const SessionRecord& record, std::string why) {
    const std::string_view type = record.object()["type"];
    const bool mended = IsJsonString(type);
    context_.diagnosis.Add("jp-element", record, mended, std::move(why));
    if (mended) context_.diagnosis.edits().Insert(record.Begin(type) + 1, std::string(kUnreadableKind));
  }

  void CheckTurnStart(const SessionRecord& record) {
    const auto& fields = record.object().fields();
    if (std::ranges::all_of(fields, MayBeInTurnStart, [](const auto& field) { return field.first; })) return;
    context_.diagnosis.Add("jp-element", record, true, "a turn_start has nothing else");
    std::string kept;
    for (const auto& [name, value] : fields) {
      if (MayBeInTurnStart(name)) kept += fmt::format("{}{}: {}", kept.empty() ? "" : ", ", name, value);
    }
    context_.diagnosis.edits().Replace(record.begin(), record.end(), fmt::format("{{{}}}", kept));
  }

  const CheckContext context_;
  const bool is_old_;
  bool first_ = true;
  std::string time_;  // of the last element that has one, as JSON
  JpElementParser parser_;
};

class JpMetadata final : public SessionChecks {
 public:
  explicit JpMetadata(const CheckContext& context) : context_(context) {}

  void Take(const SessionRecord& record, const RecordPiece& /*piece*/) override {
    if (!IsJsonString(record.object()["last_activated_at"])) context_.diagnosis.Add("jp-metadata", record, false);
  }
  void Finish() override {}

 private:
  const CheckContext context_;
};

}  // namespace

std::unique_ptr<SessionChecks> CheckJpEvents(const CheckContext& context) {
  return std::make_unique<JpEvents>(context);
}

std::unique_ptr<SessionChecks> CheckJpMetadata(const CheckContext& context) {
  return std::make_unique<JpMetadata>(context);
}

}  // namespace turnlog
