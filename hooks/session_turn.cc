#include "hooks/session_turn.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "base/try.h"
#include "schema/json/json_writer.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

// How often a step is taken again because another hook has written.
constexpr int kTries = 16;

// Until it succeeds, or fails for another reason than a conflict.
template <class Attempt>
Status Retried(Attempt attempt) {
  Status done = attempt();
  for (int tries = 1; tries < kTries && !done && done.error().code == ErrorCode::kConflict; ++tries) done = attempt();
  return done;
}

Timestamp Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()};
}

}  // namespace

SessionTurn::SessionTurn(Log& log, ConversationId conversation, AgentTool tool, const HookEvent& event)
    : log_(log), conversation_(std::move(conversation)), tool_(tool), event_(event) {}

Result<Event> SessionTurn::Description() const {
  std::string text;
  JsonWriter json(text);
  const auto field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) json.Field(name, value);
  };
  json.StartObject();
  json.Field("type", "config_delta");
  json.Key("delta");
  json.StartObject();
  json.Field("agent", ToString(tool_));
  field("session", event_.session);
  field("folder", event_.folder);
  field("transcript", event_.transcript);
  field("model", event_.model);
  json.EndObject();
  json.EndObject();
  return ParseEvent(text);
}

Status SessionTurn::Append(std::span<const Event> events, std::optional<Seq> expected_last) {
  std::vector<EventView> views;
  for (const Event& event : events) views.push_back(View(event));
  const auto appended = log_.Append(conversation_, views, {.expected_last = expected_last});
  return appended ? Status() : std::unexpected(appended.error());
}

Status SessionTurn::Describe() {
  const Event description = TURNLOG_TRY(Description());
  return Append({&description, 1}, {});
}

Status SessionTurn::Begin(const std::string& prompt) {
  return Retried([&]() -> Status {
    const ChatRequest request{.content = prompt, .author = {}, .schema = {}};
    TURNLOG_TRY(TurnRecorder::Begin(log_, conversation_, request))->Suspend();
    return {};
  });
}

// Guarded, because a turn that another hook has begun meanwhile must not be closed.
Status SessionTurn::BeginUnlessBegun() {
  return Retried([&]() -> Status {
    const auto info = log_.Info(conversation_);
    if (info && info->turns > 0) return {};
    if (!info && info.error().code != ErrorCode::kNotFound) return std::unexpected(info.error());
    std::vector<Event> events;
    if (!info) events.push_back(TURNLOG_TRY(Description()));
    const Timestamp now = Now();
    events.push_back({.body = TurnStart{}, .timestamp = now});
    events.push_back(
        {.body = ChatRequest{.content = fmt::format("(session {}, whose beginning is not recorded)", event_.session),
                             .author = "harness",
                             .schema = {}},
         .timestamp = now});
    return Append(events, info ? info->last : Seq{0});
  });
}

Status SessionTurn::WriteIfBegun(const std::function<Status(TurnRecorder& recorder)>& step) {
  return Retried([&]() -> Status {
    auto recorder = TurnRecorder::Resume(log_, conversation_);
    if (!recorder && recorder.error().code == ErrorCode::kNotFound) return {};
    if (!recorder) return std::unexpected(recorder.error());
    Status done = step(**recorder);
    (*recorder)->Suspend();
    return done;
  });
}

Status SessionTurn::Write(const std::function<Status(TurnRecorder& recorder)>& step) {
  TURNLOG_TRY(BeginUnlessBegun());
  return WriteIfBegun(step);
}

Status SessionTurn::End(const std::string& last_words) {
  bool idle = false;
  TURNLOG_TRY(WriteIfBegun([&](TurnRecorder& recorder) {
    idle = recorder.state().activity() == Activity::kIdle;
    return idle ? Status() : recorder.Close(cancellation::kRunTerminated);
  }));
  if (idle) return {};
  return WriteIfBegun([&](TurnRecorder& recorder) {
    if (recorder.state().activity() != Activity::kCallingModel) return Status();
    return recorder.Respond({ChatPart::kMessage, last_words});
  });
}

Status SessionTurn::Fail(const std::string& why) {
  return WriteIfBegun([&](TurnRecorder& recorder) {
    return recorder.state().activity() == Activity::kIdle ? Status() : recorder.Fail(why);
  });
}

}  // namespace turnlog
