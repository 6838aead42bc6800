#include "sanitize/redaction/redacted_template.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/secret_string.h"
#include "schema/event/template_marks.h"

namespace turnlog {
namespace {

// Encloses a mark in a JSON string; never part of a text, says Unicode.
constexpr std::string_view kNoncharacter = "\xef\xb7\x90";

// The template as JSON: a string for each mark, which says to which event its text belongs.
class MarkStrings {
 public:
  explicit MarkStrings(std::string_view source_text) {
    json_.reserve(2 * source_text.size());
    for (std::size_t at = 0; at < source_text.size(); ++at) {
      const char letter = source_text[at];
      if (letter == kNextEvent) {
        ++last_event_;
      } else if (letter == kSlotMark && at + 1 < source_text.size()) {
        json_.append("\"").append(kNoncharacter).append(std::to_string(last_event_));
        json_.append({source_text[++at]}).append(kNoncharacter).append("\"");
      } else {
        json_.push_back(letter);
      }
    }
  }
  ~MarkStrings() { Wipe(json_); }
  MarkStrings(const MarkStrings&) = delete;
  MarkStrings& operator=(const MarkStrings&) = delete;

  std::string_view json() const { return json_; }

  // The template with this JSON, in which strings of marks may be missing. Nothing if one is damaged.
  std::optional<std::string> Restore(std::string_view json) const {
    std::string out;
    out.reserve(json.size());
    std::size_t event = 0;
    const std::string begin = std::string("\"").append(kNoncharacter), end = std::string(kNoncharacter).append("\"");
    while (!json.empty()) {
      const std::size_t mark = std::min(json.find(begin), json.size());
      out += json.substr(0, mark);
      json.remove_prefix(mark);
      if (json.empty()) break;
      json.remove_prefix(begin.size());
      const std::size_t length = json.find(end);
      if (length == std::string_view::npos || length < 2) return std::nullopt;
      const auto of = EventOf(json.substr(0, length - 1));
      if (!of || *of < event) return std::nullopt;
      out.append(*of - event, kNextEvent).append({kSlotMark, json[length - 1]});
      event = *of;
      json.remove_prefix(length + end.size());
    }
    out.append(last_event_ - event, kNextEvent);
    return out.contains(kNoncharacter) ? std::nullopt : std::optional(std::move(out));
  }

 private:
  std::optional<std::size_t> EventOf(std::string_view digits) const {
    std::size_t event = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), event);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole && event <= last_event_ ? std::optional(event) : std::nullopt;
  }

  std::string json_;
  std::size_t last_event_ = 0;
};

}  // namespace

std::optional<std::string> RedactTemplate(const FindSpans& find, std::string_view source_text) {
  if (source_text.contains(kNoncharacter)) return std::nullopt;
  const MarkStrings marked(source_text);
  // The white space, bracket or comma before a record.
  const std::size_t lead = std::min(marked.json().find_first_not_of(" \t\r\n,["), marked.json().size());
  auto record = RedactJson(find, marked.json().substr(lead));
  if (!record) return std::nullopt;
  record->insert(0, marked.json().substr(0, lead));
  auto restored = marked.Restore(*record);
  Wipe(*record);
  // A value may go across a mark, or be found only next to one.
  if (restored && !find(*restored).empty()) restored.reset();
  return restored;
}

}  // namespace turnlog
