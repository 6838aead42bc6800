#include "logctl/event_lines.h"

#include "base/try.h"
#include "turnlog/event_json.h"

namespace turnlog {

Expected<void> EventLines::Add(const Record& record) {
  line_.clear();
  AppendJson(TURNLOG_TRY(record.Decode()), record.conversation, record.seq, line_);
  line_.push_back('\n');
  context_.out.WriteJson(line_);
  return {};
}

void EventLines::Add(const Damage& damage) {
  context_.messages.Report(damage);
  damaged_ = true;
}

}  // namespace turnlog
