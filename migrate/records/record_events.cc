#include "migrate/records/record_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/utf8.h"
#include "migrate/records/foreign_event.h"
#include "schema/event/encoded_size.h"

namespace turnlog {

void RecordEvents::Begin(std::string_view format, std::string_view record, RecordHead head) {
  format_ = format;
  record_ = record;
  head_ = std::move(head);
  events_.clear();
  slots_.clear();
  note_.clear();
  redacted_ = false;
}

void RecordEvents::Redact(std::string record, std::vector<SecretString> answers) {
  replaced_ = std::move(record);
  record_ = replaced_;
  redacted_ = true;
  answers_ = std::move(answers);
}

Event& RecordEvents::Add(Event::Body body) {
  Event& event = events_.emplace_back();
  event.body = std::move(body);
  event.timestamp = head_.time;
  return event;
}

void RecordEvents::AddForeign(std::string_view part) {
  events_.push_back(MakeForeign(format_, part, head_.time, std::nullopt));
  Reproduces(Slot::kRecord, part);
}

void RecordEvents::Reproduces(Slot slot, std::string_view bytes, bool known) {
  // What the record has in a string, as a row of a database has JSON with line breaks, is there in another form.
  const std::less_equal<const char*> precedes;
  const bool within =
      precedes(record_.data(), bytes.data()) && precedes(bytes.data() + bytes.size(), record_.data() + record_.size());
  if (bytes.empty() || !within) return;
  const auto begin = static_cast<std::size_t>(bytes.data() - record_.data());
  slots_.push_back({slot, events_.size() - 1, begin, begin + bytes.size(), known});
}

bool RecordEvents::AreValid() const {
  return std::ranges::all_of(events_, [](const Event& event) { return Validate(View(event)).has_value(); });
}

std::optional<std::string> RecordEvents::IdOf(std::size_t event, bool repeated) const {
  constexpr std::size_t kMaxSuffix = 20;
  if (!head_.id || repeated || head_.id->empty() || head_.id->size() > kMaxIdBytes - kMaxSuffix) return std::nullopt;
  if (head_.id->contains('#')) return std::nullopt;  // may be the id of another record's event
  return event == 0 ? *head_.id : fmt::format("{}#{}", *head_.id, event);
}

void RecordEvents::Finish(std::string_view lead, bool repeated) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    // The id of a verbatim event would have to be a field of its object.
    if (!std::holds_alternative<Verbatim>(events_[i].body)) events_[i].event_id = IdOf(i, repeated);
  }
  events_.front().source_text = MakeTemplate(lead, record_, slots_, events_);
}

// Rows of damaged databases may have ids and other texts that are no UTF-8.
bool RecordEvents::Fit() const {
  const auto is_text = [](const std::optional<std::string>& text) { return !text || IsUtf8(*text); };
  return EncodedSizeBound(View(events_.front())) <= kMaxEventBytes && is_text(events_.front().source_text) &&
         std::ranges::all_of(events_, is_text, &Event::event_id);
}

void RecordEvents::KeepAsForeign(std::string_view lead, bool repeated) {
  events_.clear();
  slots_.clear();
  events_.push_back(MakeForeign(format_, record_, head_.time, IdOf(0, repeated)));
  Reproduces(Slot::kRecord, record_);
  events_.front().source_text = MakeTemplate(lead, record_, slots_, events_);
}

void RecordEvents::KeepAsText() {
  events_.clear();
  slots_.clear();
  events_.push_back(MakeForeign(format_, JsonString(record_).text(), head_.time, std::nullopt));
  Reproduces(Slot::kText, record_);
  events_.front().source_text = MakeTemplate({}, record_, slots_, events_);
}

}  // namespace turnlog
