// What a list of UIMessages must have so that it can be sent on: calls of earlier messages have an outcome.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "doctor/session_checks.h"

namespace turnlog {
namespace {

class UiMessages final : public SessionChecks {
 public:
  explicit UiMessages(const CheckContext& context) : context_(context) {}

  void Take(const SessionRecord& record, const RecordPiece& /*piece*/) override {
    if (!record.is_exact()) return;
    Finish("ui-incomplete-call", true);
    for (const std::string_view part : ElementsOf(record.object()["parts"])) {
      const JsonObject object = JsonObject::Parse(part).value_or(JsonObject());
      TakeCall(record, object.String("type") == "tool-invocation" ? object.Object("toolInvocation") : object);
    }
    for (const std::string_view call : ElementsOf(record.object()["toolInvocations"])) {
      TakeCall(record, JsonObject::Parse(call).value_or(JsonObject()));
    }
  }

  void Finish() override { Finish("open-call", context_.close_open); }

 private:
  // A call without an outcome.
  struct Call {
    FindingLocation location;
    std::string id;
    std::uint64_t begin = 0, end = 0;  // of its state
    bool is_old = false;               // of version 4
  };

  void TakeCall(const SessionRecord& record, const JsonObject& call) {
    const std::string state = call.String("state").value_or(std::string());
    const bool is_old = state == "call" || state == "partial-call";
    const bool is_open = is_old || state == "input-available" || state == "input-streaming" ||
                         state == "approval-requested" || state == "approval-responded";
    if (!is_open || !IsJsonString(call["toolCallId"])) return;
    const std::string_view token = call["state"];
    last_.push_back({{record.line(), record.Begin(call.text())},
                     *call.String("toolCallId"),
                     record.Begin(token),
                     record.End(token),
                     is_old});
  }

  // The calls of the last message.
  void Finish(std::string_view rule, bool mended) {
    for (const Call& call : last_) {
      context_.diagnosis.Add(rule, call.location, mended, call.id);
      if (!mended) continue;
      context_.diagnosis.edits().Replace(call.begin, call.end,
                                         fmt::format(R"("{}","{}":"{}")", call.is_old ? "result" : "output-error",
                                                     call.is_old ? "result" : "errorText", kInterruptedCall));
    }
    last_.clear();
  }

  const CheckContext context_;
  std::vector<Call> last_;
};

class NoRecords final : public SessionChecks {
 public:
  void Take(const SessionRecord&, const RecordPiece&) override {}
  void Finish() override {}
};

}  // namespace

std::unique_ptr<SessionChecks> CheckUiMessages(const CheckContext& context) {
  return std::make_unique<UiMessages>(context);
}

std::unique_ptr<SessionChecks> CheckNoRecords(const CheckContext&) { return std::make_unique<NoRecords>(); }

}  // namespace turnlog
