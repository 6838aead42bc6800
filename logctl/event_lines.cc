#include "logctl/event_lines.h"

#include "base/try.h"
#include "turnlog/event_json.h"

namespace turnlog {

Expected<void> EventLines::Add(const Item& item) {
  if (const auto* record = std::get_if<Record>(&item)) {
    Write(TURNLOG_TRY(record->Decode()), record->conversation, record->seq);
  } else if (const auto* erased = std::get_if<Erased>(&item)) {
    Write(View(ErasedMark(erased->kind)), erased->conversation, erased->seq);
  } else {
    context_.messages.Report(std::get<Damage>(item));
    damaged_ = true;
  }
  return {};
}

void EventLines::Write(const EventView& event, std::string_view conversation, Seq seq) {
  line_.clear();
  AppendJson(event, conversation, seq, line_);
  line_.push_back('\n');
  context_.out.WriteJson(line_);
}

}  // namespace turnlog
