#include "migrate/sessions/record_session.h"

#include <fmt/format.h>

#include "migrate/requests/openai_items.h"
#include "migrate/sessions/session_ids.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// The order of the lines is all that counts.
class Session final : public RecordSession {
 public:
  // A record is one item: nothing is left out of it.
  void Keep(std::string_view lead, const JsonObject& record, const RecordCut&) override {
    const JsonObject payload = record.Object("payload");
    const JsonObject& item = record["payload"].empty() ? record : payload;
    enveloped_ = !record["payload"].empty();
    time_ = record.String("timestamp").value_or(time_);
    const std::string type = item.String("type").value_or("");
    if (type == "custom_tool_call") custom_calls_.insert(item.String("call_id").value_or(""));
    out() += lead;
    out() += record.text();
  }

  void Drop(const JsonObject&) override {}

  void Insert(const EventView& event) override {
    if (event.timestamp) time_ = MillisecondTime(*event.timestamp);
    std::string item;
    JsonWriter json(item);
    json.StartObject();
    const bool written = WriteItem(event, json);
    json.EndObject();
    if (!written) return;
    StartLine();
    // The files of 2025 have no envelopes.
    out() +=
        enveloped_ ? fmt::format(R"({{"timestamp":"{}","type":"response_item","payload":{}}})", time_, item) : item;
  }

 private:
  bool WriteItem(const EventView& event, JsonWriter& json) {
    if (const auto* request = std::get_if<ChatRequestView>(&event.body)) {
      WriteMessageItem("user", request->content, json);
    } else if (const auto* response = std::get_if<ChatResponseView>(&event.body)) {
      if (response->part == ChatPart::kReasoning) return false;
      WriteMessageItem("assistant", response->content, json);
    } else if (const auto* call = std::get_if<ToolCallRequestView>(&event.body)) {
      WriteCallItem({.text = std::string(call->arguments.empty() ? "{}" : call->arguments.text()),
                     .id = std::string(call->id),
                     .name = std::string(call->name)},
                    json);
    } else {
      const auto& result = std::get<ToolCallResponseView>(event.body);
      // The type of an output is that of its call.
      const bool custom = custom_calls_.contains(std::string(result.id));
      json.Field("type", std::string_view(custom ? "custom_tool_call_output" : "function_call_output"));
      json.Field("call_id", result.id);
      json.Field("output", result.content);
    }
    return true;
  }

  std::set<std::string> custom_calls_;
  std::string time_ = "1970-01-01T00:00:00.000Z";
  bool enveloped_ = true;
};

}  // namespace

std::unique_ptr<RecordSession> CodexRecordSession() { return std::make_unique<Session>(); }

}  // namespace turnlog
