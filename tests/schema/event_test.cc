#include "turnlog/event.h"

#include <gtest/gtest.h>

#include "turnlog/types.h"

namespace turnlog::event_test {
namespace {

TEST(EventKind, NamesGoBothWays) {
  for (int value = 1; value <= 11; ++value) {
    const auto kind = static_cast<EventKind>(value);
    EXPECT_NE(ToString(kind), "unknown") << value;
    EXPECT_EQ(KindFromName(ToString(kind)), kind);
  }
  EXPECT_EQ(ToString(EventKind::kUnknown), "unknown");
  EXPECT_EQ(KindFromName("unknown"), EventKind::kUnknown);
  EXPECT_EQ(KindFromName("Turn_start"), EventKind::kUnknown);
  EXPECT_EQ(KindFromName(""), EventKind::kUnknown);
}

TEST(EventKind, ConversationWideKindsAreGlobal) {
  for (const auto kind : {EventKind::kConfigDelta, EventKind::kCompaction, EventKind::kRepair, EventKind::kRedaction,
                          EventKind::kUnknown}) {
    EXPECT_TRUE(IsGlobal(kind)) << ToString(kind);
  }
  for (const auto kind : {EventKind::kTurnStart, EventKind::kChatRequest, EventKind::kInquiryResponse}) {
    EXPECT_FALSE(IsGlobal(kind)) << ToString(kind);
  }
}

TEST(InquiryId, IsItsPartsJoined) {
  const auto id = MakeInquiryId("call.1", "overwrite", 12);
  ASSERT_TRUE(id);
  EXPECT_EQ(id->text, "call.1.overwrite.12");
  EXPECT_EQ(id->key, (InquiryKey{"call.1", "overwrite", 12}));
}

TEST(InquiryId, PartsThatCannotBeJoinedAreRefused) {
  EXPECT_FALSE(MakeInquiryId("", "q", 1));
  EXPECT_FALSE(MakeInquiryId("t", "", 1));
  EXPECT_FALSE(MakeInquiryId("t", "q.r", 1));
  EXPECT_FALSE(MakeInquiryId("t", "q", 0));
  EXPECT_TRUE(MakeInquiryId(std::string(kMaxIdBytes - 4, 't'), "q", 1));
  EXPECT_FALSE(MakeInquiryId(std::string(kMaxIdBytes - 3, 't'), "q", 1));
  EXPECT_FALSE(MakeInquiryId(std::string(kMaxIdBytes - 4, 't'), "q", 10));
}

}  // namespace
}  // namespace turnlog::event_test
