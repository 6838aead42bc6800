#include "schema/event/own_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/utf8.h"
#include "schema/event/codec.h"
#include "schema/event/event_fields.h"
#include "schema/event/inquiry_id.h"
#include "schema/json/json_letters.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_string_copy.h"

namespace turnlog {
namespace {

using Text = std::string_view;

// Goes through a line. What takes something returns false if that is not what comes next.
class OwnLine {
 public:
  OwnLine(Text line, char* memory, EventParser::Envelope& envelope)
      : line_(line), memory_(memory), envelope_(envelope) {}

  bool Event(EventView& event) { return Head(event) && Body(event.body) && Tail(event) && at_ == line_.size(); }

 private:
  bool Head(EventView& event) {
    if (!Take("{")) return false;
    if (Take(R"("conversation":)") && !(String(envelope_.conversation.emplace()) && Take(","))) return false;
    if (Take(R"("seq":)") && !(Number(envelope_.seq.emplace()) && Take(","))) return false;
    return !Take(R"("timestamp":)") || (Time(event.timestamp) && Take(","));
  }

  bool Time(std::optional<Timestamp>& time) {
    Text text;
    if (!String(text)) return false;
    const auto read = Timestamp::ParseRfc3339(text);
    if (read) time = *read;
    return read.has_value();
  }

  bool Body(EventView::Body& body) {
    if (!Take(R"("type":")")) return false;
    if (Take(R"(tool_call_request",)")) return Fields(body.emplace<ToolCallRequestView>());
    if (Take(R"(tool_call_response",)")) return Fields(body.emplace<ToolCallResponseView>());
    if (Take(R"(chat_response",)")) return Fields(body.emplace<ChatResponseView>());
    if (Take(R"(inquiry_request",)")) return Fields(body.emplace<InquiryRequestView>());
    if (Take(R"(inquiry_response",)")) return Fields(body.emplace<InquiryResponseView>());
    if (Take(R"(chat_request",)")) return Fields(body.emplace<ChatRequestView>());
    if (Take(R"(turn_start")")) return body.emplace<TurnStart>(), true;
    return false;
  }

  bool Tail(EventView& event) {
    return (!Take(R"(,"metadata":)") || Object(event.metadata)) &&
           (!Take(R"(,"event_id":)") || Id(event.event_id.emplace())) &&
           (!Take(R"(,"source_text":)") || String(event.source_text.emplace())) && Take("}");
  }

  bool Fields(ChatRequestView& body) {
    return Take(R"("content":)") && String(body.content) && (!Take(R"(,"author":)") || String(body.author.emplace())) &&
           (!Take(R"(,"schema":)") || Object(body.schema));
  }

  bool Fields(ChatResponseView& body) {
    if (Take(R"("message":)")) return body.part = ChatPart::kMessage, String(body.content);
    if (Take(R"("reasoning":)")) return body.part = ChatPart::kReasoning, String(body.content);
    JsonView data;
    if (!Take(R"("data":)") || !Value(data)) return false;
    body.part = ChatPart::kData;
    body.content = data.text();
    return true;
  }

  bool Fields(ToolCallRequestView& body) {
    return Take(R"("id":)") && Id(body.id) && Take(R"(,"name":)") && String(body.name) && Take(R"(,"arguments":)") &&
           Object(body.arguments);
  }

  bool Fields(ToolCallResponseView& body) {
    return Take(R"("id":)") && Id(body.id) && Take(R"(,"content":)") && String(body.content) &&
           Take(R"(,"is_error":)") && Bool(body.is_error);
  }

  bool Fields(InquiryRequestView& body) {
    return InquiryId(body.id) && Take(R"(,"source":{"source":")") && Source(body.source) &&
           Take(R"(,"question":{"text":)") && Question(body.question) &&
           (!Take(R"(,"escalated_from":)") || Id(body.escalated_from.emplace()));
  }

  bool Fields(InquiryResponseView& body) {
    if (Take(R"("outcome":"answered",)")) {
      body.outcome = Outcome::kAnswered;
      return InquiryId(body.id) && Take(R"(,"answer":)") && Value(body.answer) &&
             (!Take(R"(,"reason":)") || String(body.reason.emplace())) && Responder(body.responder);
    }
    if (Take(R"("outcome":"cancelled",)")) {
      body.outcome = Outcome::kCancelled;
      return InquiryId(body.id) && Take(R"(,"reason":)") && String(body.reason.emplace()) && Responder(body.responder);
    }
    body.outcome = Outcome::kRedacted;
    return Take(R"("outcome":"redacted",)") && InquiryId(body.id) && Responder(body.responder);
  }

  bool InquiryId(InquiryIdView& id) {
    if (!Take(R"("id":)") || !Id(id.text)) return false;
    if (!Take(R"(,"key":{"tool_call":)")) return true;
    InquiryKeyView& key = id.key.emplace();
    std::uint64_t attempt = 0;
    if (!String(key.tool_call) || !Take(R"(,"question":)") || !String(key.question) || !Take(R"(,"attempt":)") ||
        !Number(attempt) || attempt > UINT32_MAX || !Take("}")) {
      return false;
    }
    key.attempt = static_cast<std::uint32_t>(attempt);
    return CheckInquiryKey(key) && IsMadeOf(id.text, key);
  }

  bool Source(InquirySourceView& source) {
    if (!Word(fields::kSourceKinds, source.kind)) return false;
    const bool named = source.kind == SourceKind::kTool || source.kind == SourceKind::kOther;
    return (!named || (Take(R"(,"name":)") && String(source.name))) && Take("}");
  }

  bool Question(QuestionView& question) {
    return String(question.text) && Take(R"(,"answer_type":{"type":")") && AnswerType(question.answer_type) &&
           (!Take(R"(,"default":)") || (!IsNull() && Value(question.default_value))) &&
           (!Take(R"(,"context":)") || String(question.context.emplace())) &&
           (!Take(R"(,"exclusive":)") || Bool(question.exclusive.emplace())) &&
           (!Take(R"(,"persistence":)") || String(question.persistence.emplace())) && Take("}");
  }

  bool AnswerType(AnswerTypeView& type) {
    if (!Word(fields::kAnswerKinds, type.kind)) return false;
    if (type.kind == AnswerKind::kSchema && !(Take(R"(,"schema":)") && Object(type.schema))) return false;
    if (type.kind == AnswerKind::kSelect || type.kind == AnswerKind::kMultiSelect) {
      if (!Take(R"(,"options":[)") || !Options(type.options)) return false;
      type.other = Take(R"(,"other":true)");
    }
    return Take("}");
  }

  bool Options(std::vector<SelectOptionView>& options) {
    if (Take("]")) return true;
    do {
      SelectOptionView& option = options.emplace_back();
      if (options.size() > kMaxSelectOptions || !Take(R"({"value":)") || !Value(option.value) ||
          !(!Take(R"(,"description":)") || String(option.description.emplace())) || !Take("}")) {
        return false;
      }
    } while (Take(","));
    return Take("]");
  }

  bool Responder(std::optional<ResponderView>& responder) {
    if (!Take(R"(,"responder":{"kind":)")) return true;
    ResponderView& who = responder.emplace();
    return String(who.kind) && (!Take(R"(,"model":)") || String(who.model.emplace())) &&
           (!Take(R"(,"who":)") || String(who.who.emplace())) && (!Take(R"(,"via":)") || String(who.via.emplace())) &&
           Take("}");
  }

  // --- Values ---

  template <std::size_t kSize>
  bool Take(const char (&literal)[kSize]) {
    constexpr std::size_t kLength = kSize - 1;
    if (line_.size() - at_ < kLength || std::memcmp(line_.data() + at_, literal, kLength) != 0) return false;
    at_ += kLength;
    return true;
  }

  bool Begins(char c) const { return at_ < line_.size() && line_[at_] == c; }
  bool IsNull() const { return Begins('n'); }

  bool String(Text& text) {
    if (!Begins('"')) return false;
    const std::size_t begin = at_ + 1, end = SkipPlainJsonLetters(line_, begin);
    if (end < line_.size() && line_[end] == '"') {  // short and without escapes, as most are
      text = line_.substr(begin, end - begin);
      at_ = end + 1;
      return true;
    }
    const auto copy = CopyJsonString(line_, at_, memory_);
    if (!copy) return false;
    text = copy->text;
    memory_ += text.size();
    at_ = copy->end;
    return true;
  }

  bool Id(Text& id) { return String(id) && !id.empty() && id.size() <= kMaxIdBytes; }

  bool Bool(bool& value) {
    value = Take("true");
    return value || Take("false");
  }

  // What follows it is no part of it: the next Take finds that.
  bool Number(std::uint64_t& number) {
    if (Begins('0')) return false;
    const char* const begin = line_.data() + at_;
    const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), number);
    at_ += static_cast<std::size_t>(end - begin);
    return error == std::errc();
  }

  bool Value(JsonView& value) {
    const JsonEnd end = ScanJson(line_, at_);
    if (!end) return false;
    value = JsonView::FromTrusted(line_.substr(at_, *end - at_));
    at_ = *end;
    return true;
  }
  bool Object(JsonView& object) { return Begins('{') && Value(object); }

  template <class Enum, std::size_t kCount>
  bool Word(const std::array<Text, kCount>& words, Enum& value) {
    const std::size_t end = line_.find('"', at_);
    if (end == Text::npos) return false;
    const auto index = std::ranges::find(words, line_.substr(at_, end - at_)) - words.begin();
    value = static_cast<Enum>(index);
    at_ = end + 1;
    return static_cast<std::size_t>(index) < kCount;
  }

  const Text line_;
  std::size_t at_ = 0;
  char* memory_;
  EventParser::Envelope& envelope_;
};

}  // namespace

std::optional<EventView> ReadOwnLine(std::string_view line, char* memory, EventParser::Envelope& envelope) {
  EventView event;
  if (!OwnLine(line, memory, envelope).Event(event) || !IsUtf8(line)) return std::nullopt;
  return event;
}

}  // namespace turnlog
