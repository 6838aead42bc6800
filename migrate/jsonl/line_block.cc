#include "migrate/jsonl/line_block.h"

#include "migrate/records/json_array.h"
#include "schema/json/json_scan.h"

namespace turnlog {

bool LineBlock::Fill(LineReader& lines) {
  lines_.clear();
  texts_.release();
  events_.Clear();
  next_ = 0;
  for (std::size_t bytes = 0; bytes < kBytes;) {
    const Result<bool> more = lines.Next();
    if (!more) error_ = more.error();
    if (!more || !*more) return false;
    std::string_view text = lines.line();
    const std::size_t mark = lines.number() == 1 && text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    text.remove_prefix(mark);
    if (!lines.too_long() && SkipJsonSpace(text, 0) == text.size()) continue;
    lines_.push_back({.text = CopyInto(texts_, text),
                      .too_long = lines.too_long(),
                      .number = lines.number(),
                      .offset = lines.offset() + mark,
                      .end = lines.end(),
                      .has_break = lines.has_break(),
                      .event = {},
                      .event_id = {},
                      .envelope = {}});
    bytes += sizeof(JsonLine) + text.size();
  }
  return true;
}

void LineBlock::Parse() {
  std::string_view last_name;
  for (JsonLine& line : lines_) {
    if (line.too_long) continue;
    const Result<EventView> event = parser_.Parse(line.text);
    if (!event) {
      line.event = std::unexpected(event.error());
      continue;
    }
    line.event = events_.Encode(*event);
    if (event->event_id) line.event_id = CopyInto(texts_, *event->event_id);
    line.envelope = parser_.envelope();
    if (auto& name = line.envelope.conversation) {
      if (*name != last_name) last_name = CopyInto(texts_, *name);
      name = last_name;
    }
  }
}

}  // namespace turnlog
