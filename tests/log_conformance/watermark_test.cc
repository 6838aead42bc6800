// How far consumers have seen each conversation, and which have grown since.
#include <fmt/format.h>

#include <array>
#include <map>
#include <random>

#include "tests/log_conformance/conformance.h"

namespace turnlog::watermark_test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;

class WatermarkTest : public ConformanceTest {
 protected:
  static std::string Mark(Log& log, std::string_view conversation) {
    const auto watermark = Must(log.FindWatermark("sanitize", Id(conversation)));
    return watermark ? fmt::format("{} {}", watermark->head.value, watermark->state) : "none";
  }
  std::string Mark(std::string_view conversation) { return Mark(*log_, conversation); }
  void Set(std::string_view conversation, std::uint64_t head, std::string_view state = "state",
           std::string_view consumer = "sanitize") {
    Must(log_->SetWatermark(consumer, Id(conversation), {{head}, std::string(state)}));
  }
  static std::vector<std::string> Changed(Log& log, std::string_view after = "", std::size_t limit = 1'000,
                                          std::string_view consumer = "sanitize") {
    std::vector<std::string> names;
    for (const ConversationInfo& info : Must(log.ListChanged(consumer, after, limit))) {
      EXPECT_EQ(info.last, Must(log.Info(Id(info.id))).last);
      names.push_back(info.id);
    }
    return names;
  }
  std::vector<std::string> Changed() { return Changed(*log_); }
  std::vector<std::string> ChangedByPages(std::size_t limit, std::string_view consumer = "sanitize") {
    std::vector<std::string> all;
    for (;;) {
      const auto page = Changed(*log_, all.empty() ? "" : all.back(), limit, consumer);
      EXPECT_LE(page.size(), limit);
      if (page.empty()) return all;
      all.insert(all.end(), page.begin(), page.end());
    }
  }
};

TURNLOG_FOR_ALL_ENGINES(WatermarkTest);

TEST_P(WatermarkTest, IsTheOneThatWasSetLast) {
  Must(Append("a", {Say("1"), Say("2")}));
  Must(Append("b", Say("1")));
  EXPECT_EQ(Mark("a"), "none");
  Set("a", 1, "first");
  EXPECT_EQ(Mark("a"), "1 first");
  Set("a", 2, "second");
  EXPECT_EQ(Mark("a"), "2 second");
  Must(log_->Checkpoint());
  EXPECT_EQ(Mark("a"), "2 second");
  Set("a", 1, "");
  EXPECT_EQ(Mark("a"), "1 ");
  Reopen();
  EXPECT_EQ(Mark("a"), "1 ");
  EXPECT_EQ(Mark("b"), "none");
}

// A consumer may keep what concerns no conversation under an id that none has.
TEST_P(WatermarkTest, MayBeOfAConversationThatDoesNotExist) {
  Must(Append("a", Say("1")));
  EXPECT_EQ(Mark("none-such"), "none");
  Set("none-such", 0, "kept");
  Set("none-such", 1, "too far");
  EXPECT_EQ(Mark("none-such"), "0 kept");
  Must(log_->Checkpoint());
  EXPECT_EQ(Mark("none-such"), "0 kept");
  EXPECT_EQ(Mark("none"), "none");
  EXPECT_EQ(Mark("a"), "none");
  EXPECT_THAT(Changed(), ElementsAre("a"));
  Reopen();
  EXPECT_EQ(Mark("none-such"), "0 kept");
  EXPECT_FALSE(log_->Info(Id("none-such")));
  Set("none-such", 0, "again");
  Must(Append("none-such", Say("1")));
  Must(log_->Checkpoint());
  EXPECT_THAT(Changed(), ElementsAre("a", "none-such"));
}

TEST_P(WatermarkTest, ConsumersDoNotSeeEachOther) {
  for (const char* name : {"a", "b", "c"}) Must(Append(name, Say("1")));
  Must(log_->Checkpoint());
  Set("a", 1, "mine");
  Must(log_->Checkpoint());
  const auto check = [&](const auto& mine, const auto& theirs) {
    const auto both = [&] {
      EXPECT_THAT(Changed(), mine);
      EXPECT_THAT(Changed(*log_, "", 1'000, "detect"), theirs);
    };
    both();
    Must(log_->Checkpoint());
    both();
    Reopen();
    both();
    ReopenAfterKill();
    both();
  };
  check(ElementsAre("b", "c"), ElementsAre("a", "b", "c"));  // the other one was never there
  Set("b", 1, "theirs", "detect");
  check(ElementsAre("b", "c"), ElementsAre("a", "c"));
  EXPECT_EQ(Mark("b"), "none");
  Must(Append("a", Say("2")));
  Must(Append("d", Say("1")));
  Set("c", 1);
  check(ElementsAre("a", "b", "d"), ElementsAre("a", "c", "d"));
  Set("a", 2, "theirs too", "detect");
  EXPECT_EQ(Mark("a"), "1 mine");
  check(ElementsAre("a", "b", "d"), ElementsAre("c", "d"));
}

TEST_P(WatermarkTest, OfAConsumerWithoutAProperNameIsRefused) {
  Must(Append("a", Say("1")));
  for (const std::string& name : {std::string(), std::string("A"), std::string("a b"), std::string("a.b"),
                                  std::string("a\0", 2), std::string(33, 'a')}) {
    EXPECT_EQ(CodeOf(log_->FindWatermark(name, Id("a"))), "invalid argument");
    EXPECT_EQ(CodeOf(log_->SetWatermark(name, Id("a"), {{1}, ""})), "invalid argument");
    EXPECT_EQ(CodeOf(log_->ListChanged(name, "", 1)), "invalid argument");
  }
  EXPECT_EQ(CodeOf(log_->SetWatermark(std::string(32, 'z'), Id("a"), {{1}, ""})), "fine");
  EXPECT_EQ(CodeOf(log_->SetWatermark("0-9_a-z", Id("a"), {{1}, ""})), "fine");
}

TEST_P(WatermarkTest, KeepsAnyBytes) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  Must(Append("a", Say("1")));
  Set("a", 1, bytes);
  Reopen();
  EXPECT_EQ(Must(log_->FindWatermark("sanitize", Id("a")))->state, bytes);
}

TEST_P(WatermarkTest, BeyondTheLastEventIsIgnored) {
  Must(Append("a", Say("1")));
  Set("a", 1, "sound");
  Set("a", 2, "ahead");
  EXPECT_EQ(Mark("a"), "1 sound");
  Must(Append("a", Say("2")));
  Reopen();
  EXPECT_EQ(Mark("a"), "1 sound");
  EXPECT_THAT(Changed(), ElementsAre("a"));
}

TEST_P(WatermarkTest, GoesToDiskAlone) {
  Must(Append("a", Say("1")));
  Reopen();
  Set("a", 1);
  Reopen();
  EXPECT_EQ(Mark("a"), "1 state");
  EXPECT_THAT(Changed(), IsEmpty());
  Set("a", 1, "again");
  Must(log_->Checkpoint());
  ReopenAfterKill();
  EXPECT_EQ(Mark("a"), "1 again");
}

TEST_P(WatermarkTest, ListsWhatHasGrownSince) {
  Must(Append("a", Say("1")));
  Must(Append("b", Say("1")));
  Must(Append("c", Say("1")));
  const auto everywhere = [&](const auto& expected) {
    EXPECT_THAT(Changed(), expected);
    Must(log_->Checkpoint());
    EXPECT_THAT(Changed(), expected);
    Reopen();
    EXPECT_THAT(Changed(), expected);
    ReopenAfterKill();
    EXPECT_THAT(Changed(), expected);
  };
  everywhere(ElementsAre("a", "b", "c"));
  Set("b", 1);
  everywhere(ElementsAre("a", "c"));
  Set("a", 1);
  Must(Append("a", Say("2")));
  Must(Append("b", Say("2")));
  Set("c", 1);
  everywhere(ElementsAre("a", "b"));
  Set("a", 1);
  Set("b", 2);
  everywhere(ElementsAre("a"));
  Set("b", 1);  // requests another look at it
  Set("a", 2);
  everywhere(ElementsAre("b"));
}

TEST_P(WatermarkTest, WhoOnlyWasLookedAtHasNotGrown) {
  Must(Append("a", Named("e", Say("1"))));
  Set("a", 1);
  Reopen();
  EXPECT_THAT(Seqs(Append("a", Named("e", Say("1")))), ElementsAre(-1));
  EXPECT_EQ(CodeOf(Append("a", Say("2"), {.expected_last = Seq{7}})), "conflict");
  EXPECT_THAT(Changed(), IsEmpty());
  Must(Append("b", Say("1")));
  Must(log_->Checkpoint());
  EXPECT_THAT(Changed(), ElementsAre("b"));
  Reopen();
  EXPECT_THAT(Changed(), ElementsAre("b"));
}

TEST_P(WatermarkTest, ChangedAreListedByPages) {
  std::vector<std::string> expected;
  for (int i = 0; i < 700; ++i) {
    const std::string name = fmt::format("conversation {:03}", i * 37 % 700);
    Must(Append(name, Say("1")));
    if (i % 3 != 0) {
      Set(name, 1);
    } else {
      expected.push_back(name);
    }
    if (i == 200 || i == 500) Must(log_->Checkpoint());
  }
  std::ranges::sort(expected);
  const auto check = [&] {
    for (const std::size_t limit : {1U, 2U, 100U, 233U, 234U, 235U, 700U}) ASSERT_EQ(ChangedByPages(limit), expected);
    EXPECT_EQ(Changed(*log_, "", SIZE_MAX), expected);
    EXPECT_THAT(Changed(*log_, "", 0), IsEmpty());
    EXPECT_THAT(Changed(*log_, expected[5] + " ", 2), ElementsAre(expected[6], expected[7]));
    EXPECT_THAT(Changed(*log_, "d", 10), IsEmpty());
  };
  check();
  Reopen();
  check();
  Reopen(OpenMode::kRead);
  check();
}

// Against a simple model: what was set, and what of it was there when the last checkpoint was made.
TEST_P(WatermarkTest, AreWhatAModelSays) {
  struct Heads {
    std::optional<std::uint64_t> now, on_disk;
  };
  struct Conversation {
    std::uint64_t last = 0;
    std::map<std::string, Heads> of;  // by consumer
  };
  const std::array<std::string, 3> consumers{"sanitize", "detect", "late"};
  std::map<std::string, Conversation> model;
  std::mt19937 random(7);
  const auto check = [&] {
    for (const std::string& consumer : consumers) {
      std::vector<std::string> changed;
      for (auto& [name, one] : model) {
        const auto head = one.of[consumer].now;
        const auto found = Must(log_->FindWatermark(consumer, Id(name)));
        ASSERT_EQ(found, head ? std::optional(Watermark{{*head}, name}) : std::nullopt);
        if (!head || *head < one.last) changed.push_back(name);
      }
      ASSERT_EQ(ChangedByPages(1 + random() % 20, consumer), changed) << consumer;
    }
  };
  const auto written = [&] {
    for (auto& [name, one] : model) {
      for (auto& [consumer, heads] : one.of) heads.on_disk = heads.now;
    }
  };
  for (int i = 0; i < 600; ++i) {
    const std::string name = std::to_string(random() % 20);
    Conversation& one = model[name];
    const std::uint64_t dice = random() % 100;
    if (dice < 50 || one.last == 0) {
      Must(Append(name, Say("x")));
      ++one.last;
    } else if (dice < 90) {
      const std::string& consumer = consumers.at(random() % (i < 300 ? 2 : 3));
      const std::uint64_t head = random() % 3 == 0 ? random() % one.last : one.last;
      one.of[consumer].now = head;
      Set(name, head, name, consumer);
    } else if (dice < 96) {
      Must(log_->Checkpoint());
      written();
    } else if (dice < 98) {
      Reopen();
      written();
    } else {
      ReopenAfterKill();
      for (auto& [conversation, each] : model) {
        for (auto& [consumer, heads] : each.of) {  // either may be there
          const auto found = Must(log_->FindWatermark(consumer, Id(conversation)));
          const auto head = found ? std::optional(found->head.value) : std::nullopt;
          ASSERT_THAT(head, AnyOf(heads.now, heads.on_disk));
          heads.now = head;
        }
      }
    }
    if (i % 10 == 0) check();
    if (HasFailure()) FAIL() << "after step " << i;
  }
  Close();
  EXPECT_EQ(store_->Check(), "");
}

}  // namespace
}  // namespace turnlog::watermark_test
