#include "migrate/jsonl/line_block.h"

#include <utility>

#include "migrate/records/json_array.h"
#include "schema/json/json_scan.h"

namespace turnlog {

bool LineBlock::Fill(LinePieces& pieces) {
  parsed_ = 0;
  number_ = 0;
  lines_.clear();
  next_ = 0;
  const Result<bool> more = pieces.Next(piece_);
  if (!more) {
    error_ = more.error();
    piece_ = LinePiece();
  }
  return more && *more;
}

void LineBlock::Parse() {
  lines_.clear();
  next_ = 0;
  texts_.release();
  last_name_ = {};
  events_.Clear();
  const std::string_view text = piece_.text();
  if (piece_.too_long() && number_ == 0) {
    lines_.push_back({.too_long = true, .number = ++number_, .offset = piece_.offset(), .end = piece_.end()});
  }
  while (parsed_ < text.size() && lines_.size() < kMostLines) {
    const std::size_t begin = parsed_, at = text.find('\n', begin);
    const bool has_break = at != std::string_view::npos;
    parsed_ = has_break ? at + 1 : text.size();
    ++number_;
    Add(text.substr(begin, parsed_ - begin - (has_break ? 1 : 0)), piece_.offset() + begin, has_break);
  }
}

void LineBlock::Add(std::string_view text, std::uint64_t offset, bool has_break) {
  if (offset == 0 && text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
    offset += kByteOrderMark.size();
  }
  if (SkipJsonSpace(text, 0) == text.size()) return;
  ParseEvent(lines_.emplace_back(JsonLine{
      .text = text, .number = number_, .offset = offset, .end = piece_.offset() + parsed_, .has_break = has_break}));
}

void LineBlock::ParseEvent(JsonLine& line) {
  const Result<EventView> event = parser_.Parse(line.text);
  if (!event) {
    line.event = std::unexpected(event.error());
    return;
  }
  Encode(*event, line);
  if (event->event_id) line.event_id = CopyInto(texts_, *event->event_id);
  line.envelope = parser_.envelope();
  if (auto& name = line.envelope.conversation) {
    if (*name != last_name_) last_name_ = CopyInto(texts_, *name);
    name = last_name_;
  }
}

void LineBlock::Encode(const EventView& event, JsonLine& line) {
  if (line.text.size() < kLargeLine) {
    line.event = events_.Encode(event);
  } else {
    HeldEvent held = HeldEvent::Encode(event);
    line.event = held.event;
    line.memory = std::move(held.memory);
  }
}

const JsonLine* LineBlock::Next() {
  if (next_ == lines_.size()) Parse();
  if (next_ == lines_.size()) return nullptr;
  JsonLine& line = lines_[next_++];
  line.number += lines_before_;
  return &line;
}

}  // namespace turnlog
