// A session whose records are kept as they are, but for what the sanitized view changes.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "migrate/records/json_object.h"
#include "turnlog/event.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/session_tool.h"

namespace turnlog {

// What to leave out of a record that is kept.
struct RecordCut {
  std::set<std::string> results;  // of calls with these ids
  bool thinking = false;          // it was redacted, and is not what was sealed any more
  bool empty() const { return results.empty() && !thinking; }
};

class RecordSession {
 public:
  virtual ~RecordSession() = default;

  // The next record of the file; `lead` precedes it.
  virtual void Keep(std::string_view lead, const JsonObject& record, const RecordCut& cut) = 0;
  // The next record is left out.
  virtual void Drop(const JsonObject& record) = 0;
  // What the view shows here, after the last record, as a new one. Reasoning without its record is left out.
  virtual void Insert(const EventView& event) = 0;
  // All records were added.
  virtual void Finish() {}

  // Bytes of the file that are no record.
  void AddBytes(std::string_view bytes) { out_ += bytes; }
  // What was written since the last call.
  std::string Take() {
    started_ = started_ || !out_.empty();
    return std::exchange(out_, {});
  }

 protected:
  std::string& out() { return out_; }
  // A line of its own after what was written; without its end, which comes with the next one.
  void StartLine() {
    if (started_ || !out_.empty()) out_.push_back('\n');
  }

 private:
  std::string out_;
  bool started_ = false;
};

std::unique_ptr<RecordSession> ClaudeRecordSession();
std::unique_ptr<RecordSession> CodexRecordSession();

// Whether ExportRecordSession can write the conversation: it was imported from the tool's own format, as lines.
Result<bool> HasRecordsOf(Log& log, SessionTool tool, const ConversationId& conversation);

// The sanitized view as the file that was imported: a record that the view shows as it was keeps its bytes.
Status ExportRecordSession(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                           ExportReport& report);

}  // namespace turnlog
