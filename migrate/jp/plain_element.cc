#include "migrate/jp/plain_element.h"

#include <string>
#include <utility>

#include "base/base64.h"
#include "migrate/jp/base64_text.h"
#include "migrate/jp/time.h"
#include "schema/json/json_string.h"
#include "schema/json/json_string_copy.h"

namespace turnlog {
namespace {

// Goes through an element. What takes something returns false if that is not what comes next.
class PlainElement {
 public:
  explicit PlainElement(std::string_view text) : text_(text) {}

  bool Read(Event& event) {
    return Take("{\n    ") && Time(event.timestamp) && Body(event) && Take("\n  }") && at_ == text_.size();
  }

 private:
  bool Time(std::optional<Timestamp>& time) {
    if (!Take("\"timestamp\": \"")) return true;
    const std::string_view text = text_.substr(at_, text_.find('"', at_) - at_);
    time = ParseJpTime(text);
    at_ += text.size();
    return time && FormatJpTime(*time) == text && Take("\",\n    ");
  }

  bool Body(Event& event) {
    if (!Take("\"type\": \"")) return false;
    if (Take("turn_start\"")) return event.body.emplace<TurnStart>(), true;
    const bool read = Take("chat_response\",\n    ")        ? Fields(event.body.emplace<ChatResponse>())
                      : Take("chat_request\",\n    ")       ? Fields(event.body.emplace<ChatRequest>())
                      : Take("tool_call_response\",\n    ") ? Fields(event.body.emplace<ToolCallResponse>())
                                                            : false;
    return read && (!Take(",\n    \"event_id\": ") || Id(event.event_id.emplace()));
  }

  bool Fields(ChatRequest& body) { return Take("\"content\": ") && String(body.content); }

  bool Fields(ChatResponse& body) {
    const bool is_message = Take("\"message\": ");
    body.part = is_message ? ChatPart::kMessage : ChatPart::kReasoning;
    return (is_message || Take("\"reasoning\": ")) && String(body.content);
  }

  bool Fields(ToolCallResponse& body) {
    if (!Take("\"id\": ") || !Id(body.id) || !Take(",\n    \"content\": ") || !Base64(body.content)) return false;
    body.is_error = Take(",\n    \"is_error\": true");
    return body.is_error || Take(",\n    \"is_error\": false");
  }

  bool Take(std::string_view literal) {
    if (text_.substr(at_, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
  }

  // A string that jp would write so.
  bool String(std::string& string) {
    if (at_ == text_.size() || text_[at_] != '"') return false;
    const std::size_t begin = at_;
    string.resize_and_overwrite(text_.size() - begin, [&](char* to, std::size_t) {
      const auto copy = CopyJsonString(text_, begin, to);
      at_ = copy ? copy->end : at_;
      return copy ? copy->text.size() : 0;
    });
    return at_ > begin && IsUsualJsonString(text_.substr(begin, at_ - begin));
  }

  // One without escapes.
  bool Id(std::string& id) {
    const std::size_t begin = at_;
    if (!Take("\"")) return false;
    const std::size_t end = text_.find('"', at_);
    id = text_.substr(at_, end - at_);
    at_ = end + 1;
    return end != std::string_view::npos && !id.empty() && id.size() <= kMaxIdBytes && !id.contains('\\') &&
           IsUsualJsonString(text_.substr(begin, at_ - begin));
  }

  bool Base64(std::string& content) {
    if (!String(content)) return false;
    const std::string encoded = content;
    DecodeJpContent(content);
    std::string again;
    AppendBase64(content, again);
    return again == encoded;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Event> ReadPlainJpElement(std::string_view element) {
  Event event;
  if (!PlainElement(element).Read(event)) return std::nullopt;
  return event;
}

}  // namespace turnlog
