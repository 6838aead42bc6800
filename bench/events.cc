#include "bench/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "schema/event/codec.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

constexpr std::size_t kEvents = 2000;
constexpr std::int64_t kFirstTime = 1'767'225'600'000'000'000;  // 2026-01-01
constexpr std::string_view kCallPrefix = "toolu_01";
constexpr std::size_t kCallDigits = 14;
constexpr std::string_view kInquirySuffix = ".apply_changes.1";

// The position of an event in its turn.
enum Step : std::size_t { kStart, kAsked, kThought, kCall, kInquiry, kAnswer, kResult, kCall2, kResult2, kReply };

// A value in [0, 1) for each event, spread evenly whatever the number of events.
double Spread(std::uint64_t i) {
  const double turns = static_cast<double>(i + 1) * 0.61803398874989485;
  return turns - std::floor(turns);
}

std::size_t SmallBytes(double u) { return static_cast<std::size_t>(std::min(520.0, 180 - 48 * std::log1p(-u))); }

// Between the points, sizes are spread evenly on a logarithmic scale.
std::size_t LargeBytes(double u) {
  struct Point {
    double u, bytes;
  };
  constexpr std::array<Point, 6> kPoints{
      {{0, 257}, {0.5, 900}, {0.8, 6500}, {0.94, 24'000}, {0.98, 58'000}, {1, 160'000}}};
  const auto* above = std::ranges::find_if(kPoints, [&](const Point& point) { return u < point.u; });
  const auto* below = above - 1;
  const double part = (u - below->u) / (above->u - below->u);
  return static_cast<std::size_t>(below->bytes * std::pow(above->bytes / below->bytes, part));
}

std::string Prose(std::size_t bytes, std::uint64_t seed) {
  constexpr std::array<std::string_view, 16> kWords{"the ",
                                                    "conversation ",
                                                    "log\n",
                                                    "reads ",
                                                    "a \"turn\" ",
                                                    "file ",
                                                    "crates/store/src/lib.rs:42 ",
                                                    "of ",
                                                    "pending ",
                                                    "answers, ",
                                                    "because ",
                                                    "it ",
                                                    "and then ",
                                                    "return ",
                                                    "Result<()> ",
                                                    "tests. "};
  std::string text;
  for (std::uint64_t state = seed * 2 + 1; text.size() < bytes;) {
    state = state * 6364136223846793005 + 1442695040888963407;
    text += kWords[state >> 60];
  }
  text.resize(bytes);
  return text;
}

std::string CallId(std::uint64_t number) { return fmt::format("{}{:0{}x}", kCallPrefix, number, kCallDigits); }

// Each turn has two calls; those of two writers differ.
std::uint64_t CallNumber(std::uint32_t writer, std::uint64_t n) {
  return (std::uint64_t{writer} << 40) + n / kTurnEvents * 2 + (n % kTurnEvents >= kCall2 ? 1 : 0);
}

InquiryId MakeId() {
  const std::string call = CallId(0);
  return {.text = call + std::string(kInquirySuffix),
          .key = InquiryKey{.tool_call = call, .question = "apply_changes"}};
}

InquiryRequest MakeInquiry() {
  return {.id = MakeId(),
          .source = {.kind = SourceKind::kTool, .name = "fs_modify_file"},
          .question = {.text = "Apply?", .answer_type = {}, .default_value = Json::FromTrusted("false")}};
}

// The event without the text that determines its size.
Event::Body MakeBody(std::size_t step) {
  switch (static_cast<Step>(step)) {
    case kStart:
      return TurnStart{};
    case kAsked:
      return ChatRequest{.author = "user"};
    case kThought:
      return ChatResponse{.part = ChatPart::kReasoning};
    case kCall:
    case kCall2:
      return ToolCallRequest{.id = CallId(0), .name = "fs_modify_file"};
    case kInquiry:
      return MakeInquiry();
    case kAnswer:
      return InquiryResponse{
          .id = MakeId(), .answer = Json::FromTrusted("true"), .responder = Responder{.kind = "user"}};
    case kResult:
    case kResult2:
      return ToolCallResponse{.id = CallId(0)};
    case kReply:
      return ChatResponse{};
  }
  return TurnStart{};
}

void SetText(Event& event, std::string text) {
  const auto object = [&](std::string_view name) {
    return Json::FromTrusted(fmt::format(R"({{"{}":{}}})", name, JsonString(text).text()));
  };
  if (auto* chat = std::get_if<ChatRequest>(&event.body)) {
    chat->content = std::move(text);
  } else if (auto* reply = std::get_if<ChatResponse>(&event.body)) {
    reply->content = std::move(text);
  } else if (auto* result = std::get_if<ToolCallResponse>(&event.body)) {
    result->content = std::move(text);
  } else if (auto* call = std::get_if<ToolCallRequest>(&event.body)) {
    call->arguments = object("path");
  } else {
    event.metadata = object("note");
  }
}

Event MakeEvent(Mix mix, std::uint32_t writer, std::size_t i) {
  const std::size_t step = i % kTurnEvents;
  Event event{.body = MakeBody(step),
              .timestamp = Timestamp{kFirstTime + static_cast<std::int64_t>(i) * 1'234'567'000}};
  const bool may_be_large = step == kAsked || step == kThought || step == kResult || step == kResult2 || step == kReply;
  const double u = Spread(writer * std::uint64_t{kEvents} + i / kTurnEvents * 7 + step);
  const std::size_t bytes = mix == Mix::kMixed && may_be_large ? LargeBytes(u) : SmallBytes(u);
  if (ToJson(View(event)).size() >= bytes) return event;
  SetText(event, "");
  const std::size_t bare = ToJson(View(event)).size();
  if (bytes > bare) SetText(event, Prose(bytes - bare, writer * std::uint64_t{kEvents} + i));
  return event;
}

void SetDigits(std::string& id, std::uint64_t number) {
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  char* const end = id.data() + kCallPrefix.size() + kCallDigits;
  for (char* at = end; at != end - kCallDigits; number >>= 4) *--at = kHexadecimal[number & 15];
}

void SetDigits(InquiryId& id, std::uint64_t number) {
  SetDigits(id.text, number);
  SetDigits(id.key->tool_call, number);
}

}  // namespace

std::string_view ToString(Mix mix) { return mix == Mix::kSmall ? "small" : "mix"; }

std::string ConversationName(std::uint32_t conversation) { return fmt::format("conversation-{:05}", conversation); }

std::string InquiryIdText(std::uint32_t writer, std::uint64_t n) {
  return CallId(CallNumber(writer, n / kTurnEvents * kTurnEvents)).append(kInquirySuffix);
}

Script::Script(Mix mix, std::uint32_t writer, std::uint32_t conversations)
    : writer_(writer), conversations_(conversations) {
  EventEncoder encoder;
  for (std::size_t i = 0; i < kEvents; ++i) events_.push_back(MakeEvent(mix, writer, i));
  for (const Event& event : events_) {
    views_.push_back(View(event));
    payloads_.emplace_back(encoder.Encode(views_.back()));
    lines_.push_back(ToJson(views_.back()) + '\n');
  }
}

Batch Script::Take(std::size_t count) {
  const std::size_t begin = taken_ % kEvents;
  for (std::size_t slot = begin; slot < begin + count; ++slot) Stamp(slot);
  const std::uint64_t block = std::max(count, kBlock);
  const std::uint64_t round = taken_ / block / conversations_;
  const Batch batch{
      .conversation = writer_ * conversations_ + static_cast<std::uint32_t>(taken_ / block % conversations_),
      .first_seq = round * block + taken_ % block + 1,
      .events = std::span(views_).subspan(begin, count),
      .payloads = std::span(payloads_).subspan(begin, count),
      .lines = std::span(lines_).subspan(begin, count)};
  taken_ += count;
  return batch;
}

double Script::json_bytes_per_event() const {
  std::size_t bytes = 0;
  for (const std::string& line : lines_) bytes += line.size();
  return static_cast<double>(bytes) / kEvents;
}

// Ids are new in every round: each call and inquiry is unique.
void Script::Stamp(std::size_t slot) {
  const std::uint64_t number = CallNumber(writer_, taken_ / kEvents * kEvents + slot);
  Event::Body& body = events_[slot].body;
  if (auto* call = std::get_if<ToolCallRequest>(&body)) SetDigits(call->id, number);
  if (auto* result = std::get_if<ToolCallResponse>(&body)) SetDigits(result->id, number);
  if (auto* inquiry = std::get_if<InquiryRequest>(&body)) SetDigits(inquiry->id, number);
  if (auto* answer = std::get_if<InquiryResponse>(&body)) SetDigits(answer->id, number);
}

}  // namespace turnlog
