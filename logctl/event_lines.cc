#include "logctl/event_lines.h"

#include "base/try.h"
#include "turnlog/event_json.h"

namespace turnlog {

Expected<void> EventLines::Add(const Item& item) {
  if (const auto* record = std::get_if<Record>(&item)) {
    const auto event = record->Decode();
    if (!event) {
      Report({{}, 0, 0, std::string(record->conversation), record->seq.value, event.error().message});
      return {};
    }
    Write(*event, record->conversation, record->seq);
  } else if (const auto* erased = std::get_if<Erased>(&item)) {
    const Event mark = ErasedMark(erased->kind);
    Write(View(mark), erased->conversation, erased->seq);
  } else {
    Report(std::get<Damage>(item));
  }
  return {};
}

void EventLines::Report(const Damage& damage) {
  context_.messages.Report(damage);
  damaged_ = true;
}

void EventLines::Write(const EventView& event, std::string_view conversation, Seq seq) {
  line_.clear();
  AppendJson(event, conversation, seq, line_);
  line_.push_back('\n');
  context_.out.WriteJson(line_);
}

}  // namespace turnlog
