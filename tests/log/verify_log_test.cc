// Verifying a log through its interface, beside writers and where lookups are wrong. Each engine's own lookups are
// verified in tests/log_conformance and tests/sql.
#include "turnlog/verify_log.h"

#include <gmock/gmock.h>

#include <climits>

#include "log/forwarding_log.h"
#include "tests/store/log_fixture.h"

namespace turnlog::verify_log_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Begins a turn ahead of each of the first `times` lookups of a conversation: between its events and what they are
// compared with.
class BusyLog : public ForwardingLog {
 public:
  BusyLog(Log& log, int times) : ForwardingLog(log), times_(times) {}
  Result<ConversationInfo> Info(const ConversationId& conversation) override {
    if (times_-- > 0) Must(ForwardingLog::Append(conversation, NewTurn()));
    return ForwardingLog::Info(conversation);
  }

 private:
  int times_;
};

class ForgetfulLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  Result<std::vector<RepairRange>> Repairs(const ConversationId&) override { return std::vector<RepairRange>(2000); }
  Result<std::vector<PendingInquiry>> PendingRaw(const std::optional<ConversationId>& conversation) override {
    if (!conversation) return std::vector<PendingInquiry>();
    return ForwardingLog::PendingRaw(conversation);
  }
};

class VerifyLogTest : public LogTest {
 protected:
  VerifyLogTest() { Must(Append("a", {NewTurn(), Ask(Opaque("open"))})); }
};

TEST_F(VerifyLogTest, WhatIsAppendedMeanwhileIsNoDifference) {
  BusyLog once(*log_, 1);
  const LogReport report = Must(VerifyLog(once));
  EXPECT_THAT(report.differences, IsEmpty());
  EXPECT_EQ(report.events, 3U) << "it was read again";
  EXPECT_GT(report.lookups, 0U);
}

TEST_F(VerifyLogTest, AConversationThatNeverRestsIsReadAndNotCompared) {
  BusyLog always(*log_, INT_MAX);
  const LogReport report = Must(VerifyLog(always));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.conversations, 1U);
  EXPECT_EQ(report.lookups, 0U);
}

TEST_F(VerifyLogTest, WhatIsFoundOtherwiseThanTheEventsSayIsNamed) {
  ForgetfulLog wrong(*log_);
  const LogReport report = Must(VerifyLog(wrong));
  EXPECT_EQ(report.difference_count, 2U);
  ASSERT_THAT(report.differences, SizeIs(2));
  EXPECT_THAT(report.differences[0], HasSubstr("conversation \"a\": other repairs"));
  EXPECT_THAT(report.differences[1], HasSubstr("not among those of all conversations"));
}

}  // namespace
}  // namespace turnlog::verify_log_test
