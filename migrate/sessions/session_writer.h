// Writes a dialogue as a session of a tool, made of documented fields only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/requests/step_writer.h"
#include "schema/json/json_writer.h"
#include "turnlog/migrate/session_tool.h"
#include "turnlog/types.h"

namespace turnlog {

// What a session has beside its dialogue.
struct SessionFrame {
  std::string id;
  std::string folder;  // that it is to be resumed in; absolute
  Timestamp begin;     // stands in for missing times before the first
};

class SessionWriter : public StepWriter {
 public:
  explicit SessionWriter(SessionFrame frame) : frame_(std::move(frame)), last_time_(frame_.begin) {}

  bool EndsWithUser() const final { return false; }

 protected:
  const SessionFrame& frame() const { return frame_; }

  // The time of what is written next: the last one, if it has none.
  Timestamp TimeOf(const std::optional<Timestamp>& time) {
    if (time) last_time_ = *time;
    return last_time_;
  }

  // The same for the same session, earlier ids and contents.
  std::string NewUuid(std::string_view contents);

  // An object on a line of its own: `write` gets the writer in the open object.
  template <class Write>
  void Line(Write&& write) {
    JsonWriter json(out());
    json.StartObject();
    write(json);
    json.EndObject();
    out().push_back('\n');
  }

 private:
  const SessionFrame frame_;
  Timestamp last_time_;
  std::string last_uuid_;
};

std::unique_ptr<StepWriter> SessionWriterFor(SessionTool tool, SessionFrame frame);
std::unique_ptr<StepWriter> ClaudeSessionWriter(SessionFrame frame);
std::unique_ptr<StepWriter> CodexSessionWriter(SessionFrame frame);
std::unique_ptr<StepWriter> OpencodeSessionWriter(SessionFrame frame);
std::unique_ptr<StepWriter> GeminiSessionWriter(SessionFrame frame);

}  // namespace turnlog
