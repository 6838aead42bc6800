// What LangGraph and the providers require of the newest checkpoint of a thread, from which a run goes on. Checkpoints
// are not changed: that is for the graph's own update_state.
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "doctor/session_checks.h"
#include "migrate/langgraph/message.h"

namespace turnlog {
namespace {

class LangGraphThread final : public SessionChecks {
 public:
  explicit LangGraphThread(const CheckContext& context) : context_(context) {}

  void Take(const SessionRecord& record, const RecordPiece& /*piece*/) override {
    if (record.object().String("table") != "checkpoints") return;
    found_.clear();
    location_ = {record.line(), record.begin()};
    const JsonObject checkpoint = record.object().Object("checkpoint");
    // Bytes that are neither stay bytes.
    const bool is_read = !checkpoint.fields().empty() && checkpoint["$base64"].empty();
    if (!is_read) found_.push_back({"langgraph-unreadable", {}});
    const JsonObject values = checkpoint.Object("channel_values");
    for (const auto& [name, value] : values.fields()) TakeChannel(value);
  }

  void Finish() override {
    for (Found& found : found_) context_.diagnosis.Add(found.rule, location_, false, std::move(found.call));
  }

 private:
  struct Found {
    std::string_view rule;
    std::string call;
  };

  // A channel whose value is a list of messages.
  void TakeChannel(std::string_view value) {
    std::vector<std::pair<std::string, bool>> calls;  // with whether the conversation went on
    std::unordered_map<std::string, std::size_t> open;
    for (const std::string_view element : ElementsOf(value)) {
      const auto message = ReadLangMessage(element);
      if (!message) break;
      if (message->kind == LangMessage::Kind::kTool) {
        const std::string call = message->fields.String("tool_call_id").value_or("");
        if (open.erase(call) == 0) found_.push_back({"langgraph-stray-result", call});
        continue;
      }
      if (message->kind == LangMessage::Kind::kOther) continue;
      for (const auto& [id, index] : open) calls[index].second = true;
      for (const std::string_view text : ElementsOf(message->fields["tool_calls"])) {
        const auto id = JsonObject::Parse(text).value_or(JsonObject()).String("id");
        if (!id) continue;
        open.insert_or_assign(*id, calls.size());
        calls.emplace_back(*id, false);
      }
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto still = open.find(calls[i].first);
      if (still == open.end() || still->second != i) continue;
      found_.push_back({calls[i].second ? "langgraph-missing-result" : "open-call", calls[i].first});
    }
  }

  const CheckContext context_;
  FindingLocation location_;
  std::vector<Found> found_;  // in the last checkpoint
};

}  // namespace

std::unique_ptr<SessionChecks> CheckLangGraphThread(const CheckContext& context) {
  return std::make_unique<LangGraphThread>(context);
}

}  // namespace turnlog
