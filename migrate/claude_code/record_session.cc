#include "migrate/sessions/record_session.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "migrate/requests/anthropic_blocks.h"
#include "migrate/sessions/session_ids.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// Keeps the chain: a record whose parent was left out gets the parent's parent, and one whose parent was followed by
// something new gets that.
class Session final : public RecordSession {
 public:
  void Keep(std::string_view lead, const JsonObject& record, const RecordCut& cut) override {
    const std::string uuid = record.String("uuid").value_or("");
    if (uuid.empty()) {
      out() += lead;
      out() += record.text();
      return;
    }
    const JsonObject message = record.Object("message");
    const std::string id = record.String("type") == "assistant" ? message.String("id").value_or("") : "";
    const bool side = record.IsTrue("isSidechain");
    if (known_.empty()) side_ = side;
    if (id.empty() || id != message_) Flush();
    out() += lead;
    WriteRecord(record, side == side_, message["content"], cut);
    known_.insert(uuid);
    if (side != side_) return;
    if (!id.empty()) model_ = message.String("model").value_or(model_);
    message_ = id;
    last_ = uuid;
    previous_ = record.text();
  }

  void Drop(const JsonObject& record) override {
    const std::string uuid = record.String("uuid").value_or("");
    if (uuid.empty()) return;
    const std::string before = End(record.String("parentUuid").value_or(""));
    next_[uuid] = before == uuid ? "" : before;
    known_.insert(uuid);
  }

  // After the message that is being written, so that its records stay together.
  void Insert(const EventView& event) override { pending_.push_back(Own(event)); }

  void Finish() override { Flush(); }

 private:
  // `main`: not a sidechain between other records.
  void WriteRecord(const JsonObject& record, bool main, std::string_view content, const RecordCut& cut) {
    const std::string_view text = record.text(), parent = record["parentUuid"];
    const std::string recorded = IsJsonString(parent) ? UnescapeJson(parent) : "";
    // A parent that is missing would cut off all before it.
    const bool dangles = !recorded.empty() && !known_.contains(recorded) && main;
    const std::string now = End(dangles && !last_.empty() ? last_ : recorded);
    std::size_t done = 0;
    const auto replace = [&](std::string_view token, const std::string& by) {
      const auto begin = static_cast<std::size_t>(token.data() - text.data());
      out() += text.substr(done, begin - done);
      out() += by;
      done = begin + token.size();
    };
    const bool relinked = now != recorded && !parent.empty();
    const bool cuts = !cut.empty() && content.starts_with('[');
    const std::string link = now.empty() ? "null" : JsonString(now).text();
    if (relinked && (!cuts || parent.data() < content.data())) replace(parent, link);
    if (cuts) replace(content, Without(content, cut));
    if (relinked && cuts && parent.data() > content.data()) replace(parent, link);
    out() += text.substr(done);
  }

  static std::string Without(std::string_view content, const RecordCut& cut) {
    std::string kept;
    for (const std::string_view text : ElementsOf(content)) {
      const JsonObject block = JsonObject::Parse(text).value_or(JsonObject());
      const std::string type = block.String("type").value_or("");
      const bool result = cut.results.contains(block.String("tool_use_id").value_or("")) && type.ends_with("_result");
      if (result || (cut.thinking && type.ends_with("thinking"))) continue;
      kept += fmt::format("{}{}", kept.empty() ? "" : ",", text);
    }
    return "[" + kept + "]";
  }

  // What a new record has in common with the one before it, each value as it is there.
  void ReadPrevious() {
    if (previous_.empty()) return;
    const JsonObject record = JsonObject::Parse(previous_).value_or(JsonObject());
    common_.clear();
    for (const char* const name : {"isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "agentId"}) {
      if (!record[name].empty()) common_ += fmt::format(R"("{}":{},)", name, record[name]);
    }
    time_ = record.String("timestamp").value_or(time_);
    previous_.clear();
  }

  void Flush() {
    for (const Event& event : std::exchange(pending_, {})) Write(View(event));
  }

  void Write(const EventView& event) {
    std::string message;
    JsonWriter json(message);
    json.StartObject();
    const std::string_view type = WriteMessage(event, json);
    json.EndObject();
    if (type.empty()) return;
    ReadPrevious();
    const std::string parent = End(last_);
    const std::string uuid = DerivedUuid(parent + message);
    if (event.timestamp) time_ = MillisecondTime(*event.timestamp);
    StartLine();
    out() += fmt::format(R"({{"parentUuid":{},{}"type":"{}","message":{},"uuid":"{}","timestamp":"{}"}})",
                         parent.empty() ? "null" : JsonString(parent).text(), common_, type, message, uuid, time_);
    known_.insert(uuid);
    if (parent.empty()) {
      last_ = uuid;
    } else {
      next_[parent] = uuid;
    }
  }

  // The fields of a message, and whose it is; empty: nothing was written.
  std::string_view WriteMessage(const EventView& event, JsonWriter& json) {
    if (const auto* request = std::get_if<ChatRequestView>(&event.body)) {
      json.Field("role", std::string_view("user"));
      json.Field("content", request->content);
      return "user";
    }
    if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) {
      json.Field("role", std::string_view("user"));
      Content(json, [&] {
        WriteAnthropicResult({.id = std::string(result->id)},
                             {.content = std::string(result->content), .is_error = result->is_error}, json);
      });
      return "user";
    }
    ModelPart part;
    if (const auto* call = std::get_if<ToolCallRequestView>(&event.body)) {
      part = {.kind = ModelPart::Kind::kCall,
              .text = std::string(call->arguments.empty() ? "{}" : call->arguments.text()),
              .id = std::string(call->id),
              .name = std::string(call->name)};
    } else {
      const auto& response = std::get<ChatResponseView>(event.body);
      if (response.part == ChatPart::kReasoning) return {};
      part.text = std::string(response.content);
    }
    json.Field("type", std::string_view("message"));
    json.Field("role", std::string_view("assistant"));
    json.Field("model", model_);
    Content(json, [&] { WriteAnthropicBlock(part, json); });
    return "assistant";
  }

  template <class WriteBlock>
  static void Content(JsonWriter& json, WriteBlock&& write) {
    json.Key("content"), json.StartArray();
    write();
    json.EndArray();
  }

  // The record that now stands where this one did: the last one that was added after it, or what it had followed.
  std::string End(std::string uuid) const {
    for (auto found = next_.find(uuid); found != next_.end(); found = next_.find(uuid)) uuid = found->second;
    return uuid;
  }

  std::unordered_map<std::string, std::string> next_;
  std::unordered_set<std::string> known_;  // uuids of records
  bool side_ = false;                      // the whole file is a subagent's
  std::vector<Event> pending_;
  std::string previous_;  // the last record, until it has been read
  std::string message_, last_, common_, time_ = "1970-01-01T00:00:00.000Z", model_ = "unknown";
};

}  // namespace

std::unique_ptr<RecordSession> ClaudeRecordSession() { return std::make_unique<Session>(); }

}  // namespace turnlog
