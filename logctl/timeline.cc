#include "logctl/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/compact_json.h"
#include "base/try.h"
#include "logctl/inquiry_closing.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/migrate/foreign_record.h"

namespace turnlog {
namespace {

constexpr std::size_t kExcerptLines = 8;
constexpr std::size_t kNotWorthCutting = 12;  // texts of up to so many lines are shown whole
constexpr std::size_t kExcerptBytes = 4000;
constexpr std::size_t kTimeWidth = 8;

std::string Size(std::string_view text) { return Counted(text.size(), "byte"); }

}  // namespace

Timeline::Timeline(Log& log, ConversationId conversation, const ConversationInfo& info, Output& out,
                   const Options& options)
    : log_(log),
      conversation_(std::move(conversation)),
      out_(out),
      options_(options),
      last_turn_(info.turns),
      seq_width_(std::max<std::size_t>(3, std::to_string(info.last.value).size())),
      indent_(seq_width_ + 2 + kTimeWidth + 2),
      complete_(options.whole_turns) {}

Expected<void> Timeline::Add(const Record& record) {
  const EventView event = TURNLOG_TRY(record.Decode());
  seq_ = record.seq;
  timestamp_ = event.timestamp;
  mark_.clear();
  if (!record.rule.empty()) {
    mark_ = fmt::format("  [{}: {}]", record.inserted ? "inserted" : "moved here", Printable(record.rule));
  }
  if (!started_ || record.turn != turn_ || record.kind == EventKind::kTurnStart) {
    TurnHeader(record.turn, record.kind);
  }
  TURNLOG_TRY(std::visit([this](const auto& body) { return Body(body); }, event.body));
  if (!options_.full) return {};
  if (!event.metadata.empty()) Below("metadata " + CompactJson(event.metadata.text()), Style::kDim);
  if (!event.extra.empty()) Below("more fields " + CompactJson(event.extra.text()), Style::kDim);
  return {};
}

void Timeline::Add(const Damage& damage) {
  seq_ = {damage.seq};
  timestamp_ = std::nullopt;
  mark_.clear();
  complete_ = false;  // the damaged event may have been the call of any result
  Head(out_.Paint(Style::kRed, "damaged: " + Printable(ToString(damage))));
}

void Timeline::Add(const Erased& erased) {
  seq_ = erased.seq;
  timestamp_ = std::nullopt;
  mark_.clear();
  if (!started_ || erased.turn != turn_ || erased.kind == EventKind::kTurnStart) TurnHeader(erased.turn, erased.kind);
  complete_ = false;  // the erased event may have been the call of any result
  Head(out_.Paint(Style::kDim, fmt::format("erased: {}", ToString(erased.kind))));
}

void Timeline::Finish() { EndTurn(); }

void Timeline::TurnHeader(Turn turn, EventKind kind) {
  if (started_) EndTurn();
  if (turn != turn_) complete_ = complete_ || started_;
  started_ = true;
  turn_ = turn;
  const bool before_the_first = turn.value == 0 && kind != EventKind::kTurnStart;
  std::string line = before_the_first ? "--- before the first turn " : fmt::format("--- turn {} ", turn.value);
  if (timestamp_) {
    date_ = DateOf(*timestamp_);
    line += fmt::format("--- {} ", date_);
  }
  line.append(out_.width() > line.size() ? out_.width() - line.size() : 0, '-');
  out_.Write("\n" + out_.Paint(Style::kBold, line) + "\n");
}

void Timeline::EndTurn() {
  const bool over = turn_.value < last_turn_;
  for (const auto& [number, call] : calls_.without_result) {
    Line(out_.Paint(over ? Style::kRed : Style::kYellow,
                    fmt::format("! the call of {} in event {} has no result{}", Printable(call.request.name), call.seq,
                                over ? " in this turn" : " yet")));
  }
  calls_ = {};
}

Expected<void> Timeline::Body(const TurnStart&) {
  complete_ = true;
  if (!mark_.empty()) Head(out_.Paint(Style::kDim, "begins"));
  return {};
}

Expected<void> Timeline::Body(const ChatRequestView& body) {
  const std::string author = body.author ? " (" + Printable(*body.author) + ")" : "";
  Head(out_.Paint(Style::kGreen, "user" + author), body.schema.empty() ? "" : "asks for data that fits a schema");
  Below(body.content);
  return {};
}

Expected<void> Timeline::Body(const ChatResponseView& body) {
  switch (body.part) {
    case ChatPart::kMessage:
      Head(out_.Paint(Style::kCyan, "assistant"));
      Below(body.content);
      break;
    case ChatPart::kReasoning:
      Head(out_.Paint(Style::kDim, "assistant, reasoning"));
      Excerpt(body.content, Style::kDim);
      break;
    case ChatPart::kData:
      Head(out_.Paint(Style::kCyan, "assistant, data"));
      Excerpt(body.content);
      break;
  }
  return {};
}

Expected<void> Timeline::Body(const ToolCallRequestView& body) {
  Head(out_.Paint(Style::kYellow, "call " + Printable(body.name)), body.id);
  const std::string arguments = CompactJson(body.arguments.text());
  if (arguments != "{}") Excerpt(arguments);
  calls_.open.Open(body.id, ++calls_.count);
  calls_.without_result.emplace(calls_.count, Call{seq_.value, std::get<ToolCallRequest>(Own({.body = body}).body)});
  calls_.names.insert_or_assign(std::string(body.id), Printable(body.name));
  return {};
}

// The call that the result closes; of one that closes none, the last call of its id.
std::string Timeline::NameOf(const ToolCallResponseView& result, const std::optional<Call>& call) const {
  if (call) return Printable(call->request.name);
  const auto last = calls_.names.find(std::string(result.id));
  return last == calls_.names.end() ? "" : last->second;
}

void Timeline::PrintDenial(const ToolCallResponseView& result, const std::optional<Call>& call) {
  const std::string name = NameOf(result, call), by = ResponderText(result.denied->responder);
  Head(out_.Paint(Style::kRed,
                  fmt::format("{}{}denied by {}", name, name.empty() ? "" : " ", by.empty() ? "the user" : by)),
       result.id);
  const Event event = Own({.body = result});
  const ToolCallRequest unknown{std::string(result.id), "", {}};
  Excerpt(RenderDeniedCall(call ? call->request : unknown, *std::get<ToolCallResponse>(event.body).denied));
}

Expected<void> Timeline::Body(const ToolCallResponseView& body) {
  const auto closed = calls_.open.Close(body.id);
  std::optional<Call> call;
  if (closed) call = std::move(calls_.without_result.extract(*closed).mapped());
  const std::string name = NameOf(body, call), of = name.empty() ? "" : " of " + name;
  if (body.denied) {
    PrintDenial(body, call);
  } else {
    Head(body.is_error ? out_.Paint(Style::kRed, "error" + of) : out_.Paint(Style::kYellow, "result" + of), body.id);
  }
  const bool known = calls_.names.contains(std::string(body.id));
  if (!known && complete_) Line(out_.Paint(Style::kRed, "! no call in this turn has this id"));
  if (known && !closed) Line(out_.Paint(Style::kRed, "! a second result for this call"));
  Excerpt(body.content, Style::kDim);
  return {};
}

Expected<void> Timeline::Body(const InquiryRequestView& body) {
  Head(out_.Paint(Style::kMagenta, "question of " + SourceText(body.source)), body.id.text);
  Below(body.question.text);
  for (const auto& option : body.question.answer_type.options) {
    const std::string text = option.description ? ": " + std::string(*option.description) : "";
    Below("- " + CompactJson(option.value.text()) + text);
  }
  Line("[" + AnswerTypeText(body.question, false) + "]");
  if (body.escalated_from) Line("follows up " + Printable(*body.escalated_from));
  const auto record = TURNLOG_TRY(FindRecord(body.id, true));
  return record ? OutcomeOf(*record, body.id) : Expected<void>();
}

// The outcome of the current question.
Expected<void> Timeline::OutcomeOf(const InquiryRecord& record, const InquiryIdView& id) {
  if (!record.response) {
    const auto closing = options_.raw ? std::nullopt : TURNLOG_TRY(FindClosing(log_, conversation_, id, seq_));
    if (!closing) return PrintOutcome(record, nullptr), Expected<void>();
    const auto closed = View(closing->response);
    Line(out_.Paint(Style::kMagenta, "=> " + OutcomeText(std::get<InquiryResponseView>(closed.body), closed.metadata)) +
         out_.Paint(Style::kDim, fmt::format(" (by a repair: {})", Printable(closing->rule))));
    return {};
  }
  const auto loaded = TURNLOG_TRY(LoadEvent(log_, conversation_, *record.response));
  const auto* event = std::get_if<Event>(&loaded);
  const auto view = event != nullptr ? std::optional(View(*event)) : std::nullopt;
  PrintOutcome(record, view ? &*view : nullptr);
  return {};
}

void Timeline::PrintOutcome(const InquiryRecord& record, const EventView* event) {
  const auto* const response = event == nullptr ? nullptr : std::get_if<InquiryResponseView>(&event->body);
  if (response == nullptr) {
    const auto state = StateOf(record, response);
    const bool waits = state == "pending";
    Line(out_.Paint(waits ? Style::kYellow : Style::kRed,
                    waits ? "=> pending" : fmt::format("=> {}: no response in its turn", state)));
    return;
  }
  const std::string by = ResponderText(response->responder);
  Line(out_.Paint(Style::kMagenta, "=> " + OutcomeText(*response, event->metadata)) + (by.empty() ? "" : " by " + by) +
       out_.Paint(Style::kDim, fmt::format(" (event {})", record.response->value)));
  if (response->outcome == Outcome::kAnswered && response->reason) Below("reason: " + std::string(*response->reason));
}

// The outcome is printed with the request; this line only refers to it, unless there is no request.
Expected<void> Timeline::Body(const InquiryResponseView& body) {
  const std::string_view did = body.outcome == Outcome::kCancelled ? "cancels" : "answers";
  if (seq_.value == 0) {
    Head(out_.Paint(Style::kDim, did), body.id.text);
    return {};
  }
  const auto record = TURNLOG_TRY(FindRecord(body.id, false));
  if (record && record->request) {
    Head(out_.Paint(Style::kDim, fmt::format("{} event {}", did, record->request->value)));
    return {};
  }
  Head(out_.Paint(Style::kRed, "unmatched response"), body.id.text);
  Line(OutcomeText(body, {}));
  return {};
}

Expected<std::optional<InquiryRecord>> Timeline::FindRecord(const InquiryIdView& id, bool is_request) {
  const auto records =
      TURNLOG_TRY(options_.raw ? log_.FindInquiryRaw(conversation_, id) : log_.FindInquiry(conversation_, id));
  const auto found =
      std::ranges::find(records, std::optional(seq_), is_request ? &InquiryRecord::request : &InquiryRecord::response);
  if (found == records.end()) return std::nullopt;
  return *found;
}

Expected<void> Timeline::Body(const VerbatimView& body) {
  if (const auto foreign = DescribeForeignRecord(body)) {
    const std::string type = foreign->type.empty() ? "record" : foreign->type;
    return Json(foreign->format + " " + type, body.json.text(), options_.full);
  }
  return Json(body.tag, body.json.text(), options_.full || body.kind == EventKind::kRedaction);
}

Expected<void> Timeline::Body(const RepairView& body) {
  return Json("repair", ToJson({.body = body, .timestamp = timestamp_}), options_.full);
}

// Short, and recorded nowhere else, so it is printed.
Expected<void> Timeline::Body(const RedactionRecordView& body) {
  return Json("redaction", ToJson({.body = body, .timestamp = timestamp_}), true);
}

Expected<void> Timeline::Json(std::string_view tag, std::string_view json, bool shown) {
  Head(out_.Paint(Style::kDim, Printable(tag)), shown ? "" : Size(json));
  if (shown) Excerpt(CompactJson(json), Style::kDim);
  return {};
}

void Timeline::Head(std::string_view who, std::string_view rest) {
  if (timestamp_ && started_ && DateOf(*timestamp_) != date_) {
    date_ = DateOf(*timestamp_);
    out_.Write(out_.Paint(Style::kDim, std::string(seq_width_ + 2, ' ') + date_) + "\n");
  }
  const std::string number =
      fmt::format("{}  {}  ", PadLeft(seq_.value == 0 ? "+" : std::to_string(seq_.value), seq_width_),
                  PadRight(timestamp_ ? ClockOf(*timestamp_) : "", kTimeWidth));
  const std::string more = rest.empty() ? "" : "  " + out_.Paint(Style::kDim, Printable(rest));
  out_.Write(out_.Paint(Style::kDim, number) + std::string(who) + more + out_.Paint(Style::kYellow, mark_) + "\n");
}

void Timeline::Below(std::string_view text, std::optional<Style> style) {
  WrapText(text, out_.width() - indent_, [&](std::string_view line) {
    Line(style ? out_.Paint(*style, line) : std::string(line));
    return !out_.closed();
  });
}

void Timeline::Excerpt(std::string_view text, std::optional<Style> style) {
  if (options_.full) return Below(text, style);
  const std::string_view beginning = Prefix(text, kExcerptBytes);
  std::vector<std::string> lines;
  WrapText(beginning, out_.width() - indent_, [&](std::string_view line) {
    lines.emplace_back(line);
    return lines.size() <= kNotWorthCutting;
  });
  const bool cut = lines.size() > kNotWorthCutting || beginning.size() < text.size();
  if (cut && lines.size() > kExcerptLines) lines.resize(kExcerptLines);
  for (const std::string& line : lines) Line(style ? out_.Paint(*style, line) : line);
  if (cut) Line(out_.Paint(Style::kDim, fmt::format("... ({})", Size(text))));
}

void Timeline::Line(std::string_view printable) {
  out_.Write(printable.empty() ? "\n" : std::string(indent_, ' ').append(printable) + "\n");
}

}  // namespace turnlog
