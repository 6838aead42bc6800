// Which `repair` events a conversation has.

#include "tests/log_conformance/conformance.h"

namespace turnlog::repairs_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RepairsTest : public EveryAnswererTest {
 protected:
  std::vector<std::string> Repairs() { return RepairLines(log(), kConversation); }
};

TURNLOG_FOR_ALL_SOURCES(RepairsTest);

TEST_P(RepairsTest, AreNoneInAConversationWithoutAny) {
  Append({Say("1"), NewTurn()});
  Append({Say("1"), Repaired(1, 1)}, "other");
  Settle();
  EXPECT_THAT(Repairs(), IsEmpty());
  EXPECT_EQ(CodeOf(log().Repairs(Id("nobody"))), "not found");
}

TEST_P(RepairsTest, AreListedInOrderWithTheirRanges) {
  Append({Say("1"), Say("2"), Repaired(1, 2), Repaired(2, 2)});
  Settle();
  EXPECT_THAT(Repairs(), ElementsAre("3: 1..2", "4: 2..2"));
  Append({Say("5"), Repaired(1, 5)});
  Settle();
  EXPECT_THAT(Repairs(), ElementsAre("3: 1..2", "4: 2..2", "6: 1..5"));
}

TEST_P(RepairsTest, BelongToOneConversation) {
  Append({Say("1"), Repaired(1, 1)});
  Append({Say("1"), Say("2"), Repaired(2, 2)}, "before");
  Append({Say("1"), Say("2"), Say("3"), Repaired(1, 3)}, "unlike");
  Settle();
  EXPECT_THAT(Repairs(), ElementsAre("2: 1..1"));
  EXPECT_THAT(RepairLines(log(), "unlike"), ElementsAre("4: 1..3"));
}

TEST_P(RepairsTest, MayBeManyInSeveralCheckpoints) {
  std::vector<std::string> expected;
  Append({Say("1")});
  for (std::uint64_t seq = 2; seq <= 400; ++seq) {
    Append({Repaired(1, seq - 1)});
    expected.push_back(std::to_string(seq) + ": 1.." + std::to_string(seq - 1));
    if (seq % 100 == 0) Settle();
  }
  EXPECT_EQ(Repairs(), expected);
}

}  // namespace
}  // namespace turnlog::repairs_test
