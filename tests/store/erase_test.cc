// Erasing events: their contents are gone from the disk, and nothing else changes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "store/segments/segment.h"
#include "store/segments/store_identity.h"
#include "tests/store/answers.h"
#include "tests/store/destroyed_fixture.h"
#include "turnlog/event_json.h"
#include "turnlog/maintenance.h"

namespace turnlog::erase_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EraseTest : public DestroyedFilesTest {};

TEST_F(EraseTest, TheBytesAreGoneWhenItReturns) {
  Must(Append("a", {Say("before"), Say(kPlanted), Say("after")}, {}));
  Must(Append("a", Named(kPlanted, Say("an id with a secret")), {}));
  EXPECT_THAT(FilesWith(kPlanted), ElementsAre(SegmentName(0)));
  Must(Erase("a", {2, 4}));
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
  EXPECT_THAT(FilesWith("an id with"), IsEmpty());
  EXPECT_THAT(FilesWith("before"), ElementsAre(SegmentName(0)));
  EXPECT_THAT(FilesWith("after"), ElementsAre(SegmentName(0)));
  Must(log_->Checkpoint());
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
  Close();
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
}

TEST_F(EraseTest, WorksInEverySegmentAndAtTheirBorders) {
  std::vector<std::uint64_t> all;
  std::size_t filling = 100;
  while (FilesWith(kPlanted).size() < 5) {  // segments with events in them: there may be a preallocated one
    all.push_back(all.size() + 1);
    filling = filling * 7 % 1501;
    Must(Append("a", Say(fmt::format("{}{} {}", kPlanted, all.size(), std::string(filling, '.')))));
    // Now and then one that is longer than a segment, several in one append, and another conversation in between.
    if (all.size() % 13 != 0) continue;
    all.insert(all.end(), {all.size() + 1, all.size() + 2});
    Must(Append("a", {Say(fmt::format("{} {}", kPlanted, std::string(20 << 10, 'l'))), Say(kPlanted)}));
    Must(Append("b", Say("stays")));
  }
  std::vector<std::uint64_t> odd;
  for (const std::uint64_t seq : all) {
    if (seq % 2 == 1) odd.push_back(seq);
  }
  EXPECT_EQ(Must(Erase("a", odd)).events, odd.size());
  for (const std::uint64_t seq : {odd.front(), odd.back()}) {
    EXPECT_THAT(Lines(*log_, "a", {.from = {seq}, .limit = 1}), ElementsAre(HasSubstr("erased chat_request")));
  }
  EXPECT_EQ(Must(Erase("a", all)).events, all.size() - odd.size());
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
  EXPECT_THAT(Lines(*log_, "b"), Contains("1 0 stays"));
  Must(Append("a", Say("goes on")));
  ExpectSameAnswersAfterwards();
  EXPECT_EQ(ExpectClean().erased, all.size());
}

TEST_F(EraseTest, RefusesDamagedEventsAndErasesNothing) {
  Must(Append("a", {Say("whole"), Say(std::string(kPlanted))}));
  Must(Append("a", Say("whole"), {}));  // syncs
  Must(Append("a", Say("whole"), {}));  // and claims it
  FlipIn(kPlanted);
  const auto refused = Erase("a", {1, 2});
  EXPECT_EQ(CodeOf(refused), "corruption");
  EXPECT_THAT(MessageOf(refused), HasSubstr("log/" + SegmentName(0) + " byte "));
  EXPECT_THAT(MessageOf(refused), HasSubstr("seq 2"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 whole", HasSubstr("damage"), "3 0 whole", "4 0 whole"));
  const std::uint64_t damage = Must(VerifyStore(path())).damage_count;
  Must(Erase("a", {3}));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 whole", HasSubstr("damage"), "3 0 erased chat_request", "4 0 whole"));
  EXPECT_EQ(Must(VerifyStore(path())).damage_count, damage);
}

}  // namespace
}  // namespace turnlog::erase_test
