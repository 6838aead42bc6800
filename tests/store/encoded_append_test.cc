// Appending events that are encoded already does what appending them as values does.
#include <gmock/gmock.h>

#include "log/encoded_log.h"
#include "schema/event/held_event.h"
#include "tests/schema/sample_events.h"
#include "tests/store/log_fixture.h"
#include "turnlog/event_json.h"

namespace turnlog::encoded_append_test {
namespace {

class EncodedAppendTest : public LogTest {
 protected:
  Result<AppendResult> AppendEncoded(std::string_view conversation, const std::vector<Event>& events,
                                     const AppendOptions& options = {}) {
    std::vector<HeldEvent> held;
    std::vector<EncodedEvent> encoded;
    for (const Event& event : events) encoded.push_back(held.emplace_back(HeldEvent::Encode(View(event))).event);
    auto* const log = dynamic_cast<EncodedLog*>(log_.get());
    if (log == nullptr) return std::unexpected(Error{ErrorCode::kUnsupported, "takes no encoded events"});
    return log->AppendEncodedLater(Id(std::string(conversation)), encoded, options);
  }

  static Event Ask(AnswerKind kind, Json default_value) {
    InquiryRequest request{
        .id = Must(MakeInquiryId("call", "q", 1)), .source = {}, .question = {}, .escalated_from = {}};
    request.question.answer_type.kind = kind;
    request.question.default_value = std::move(default_value);
    return {.body = std::move(request)};
  }
};

TEST_F(EncodedAppendTest, StoresWhatAppendStores) {
  std::vector<Event> events;
  for (const SampleEvent& sample : SampleEvents()) {
    if (sample.event.kind() != EventKind::kRepair) events.push_back(sample.event);
  }
  std::size_t stored = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string a = "a" + std::to_string(i), b = "b" + std::to_string(i);
    const auto encoded = AppendEncoded(a, {events[i]});
    const auto appended = Append(b, events[i]);
    ASSERT_EQ(encoded.has_value(), appended.has_value()) << i;
    if (!encoded) continue;
    EXPECT_EQ(Lines(*log_, a), Lines(*log_, b)) << i;
    ++stored;
  }
  EXPECT_GT(stored, events.size() / 2);
  Reopen();
  EXPECT_EQ(Lines(*log_, "a0"), Lines(*log_, "b0"));
}

TEST_F(EncodedAppendTest, RefusesWhatAppendRefuses) {
  EXPECT_EQ(CodeOf(AppendEncoded("a", {})), "invalid argument");
  EXPECT_EQ(CodeOf(AppendEncoded("a", {Ask(AnswerKind::kSecret, J(R"("hunter2")"))})), "secret refused");
  Must(AppendEncoded("a", {Ask(AnswerKind::kSecret, {})}));
  const Event answer{.body =
                         InquiryResponse{Outcome::kAnswered, Must(MakeInquiryId("call", "q", 1)), J(R"("x")"), {}, {}}};
  EXPECT_EQ(CodeOf(AppendEncoded("a", {answer})), "secret refused");
  EXPECT_EQ(CodeOf(AppendEncoded("a", {Say("1")}, {.expected_last = Seq{7}})), "conflict");
}

TEST_F(EncodedAppendTest, RecognisesRepeatedEvents) {
  Event event = Say("1");
  event.event_id = "e1";
  EXPECT_FALSE(Must(Append("a", event)).events.front().repeated);
  EXPECT_TRUE(Must(AppendEncoded("a", {event})).events.front().repeated);
}

}  // namespace
}  // namespace turnlog::encoded_append_test
