// The sanitized view is a snapshot, whatever another writer appends while it is created and read.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <utility>

#include "log/forwarding_log.h"
#include "tests/store/log_fixture.h"
#include "tests/support/story.h"
#include "turnlog/repair.h"

namespace turnlog::one_moment_test {
namespace {

using testing::AnyOf;

// Calls `other_writer` just before the n-th call that reads, from 0.
class SteppedLog : public ForwardingLog {
 public:
  SteppedLog(Log& log, int n, std::function<void()> other_writer)
      : ForwardingLog(log), left_(n), other_writer_(std::move(other_writer)) {}

  bool done() const { return left_ < 0; }

  Result<ConversationInfo> Info(const ConversationId& conversation) override {
    Step();
    return ForwardingLog::Info(conversation);
  }
  Result<std::vector<RepairRange>> Repairs(const ConversationId& conversation) override {
    Step();
    return ForwardingLog::Repairs(conversation);
  }
  Result<std::vector<InquiryRecord>> FindInquiryRaw(const ConversationId& conversation,
                                                    const InquiryIdView& id) override {
    Step();
    return ForwardingLog::FindInquiryRaw(conversation, id);
  }
  Result<std::vector<PendingInquiry>> PendingRaw(const std::optional<ConversationId>& conversation) override {
    Step();
    return ForwardingLog::PendingRaw(conversation);
  }
  Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation, const ReadOptions& options) override {
    Step();
    auto cursor = ForwardingLog::ReadRaw(conversation, options);
    if (!cursor) return cursor;
    return std::make_unique<SteppedCursor>(*this, *std::move(cursor));
  }

 private:
  class SteppedCursor : public Cursor {
   public:
    SteppedCursor(SteppedLog& log, std::unique_ptr<Cursor> cursor) : log_(log), cursor_(std::move(cursor)) {}
    Result<Item> Next() override {
      log_.Step();
      return cursor_->Next();
    }

   private:
    SteppedLog& log_;
    const std::unique_ptr<Cursor> cursor_;
  };

  void Step() {
    if (left_-- == 0) other_writer_();
  }

  int left_;
  const std::function<void()> other_writer_;
};

RepairItem Drop(std::uint64_t seq) { return {{RepairAction::kDrop, {seq}, {seq}, "drop"}, std::nullopt}; }
RepairItem Insert(std::uint64_t after, std::string_view word) {
  return {{RepairAction::kInsert, {after}, {after}, "insert"}, Story(word).front()};
}

Event RepairOf(std::vector<RepairItem> items, std::uint64_t head, std::uint64_t from, std::uint64_t to) {
  Repair repair{.profile = "test", .head = Seq{head}, .from = Seq{from}, .to = Seq{to}};
  repair.items = std::move(items);
  return ToEvent(repair, std::nullopt);
}

std::vector<std::string> View(Log& log, const ReadOptions& options) {
  std::vector<std::string> lines;
  const auto cursor = Must(log.Read(Id("a"), options));
  for (;;) {
    const Item item = Must(cursor->Next());
    if (std::holds_alternative<EndOfLog>(item)) return lines;
    const auto& record = std::get<Record>(item);
    lines.push_back(fmt::format("{} {}", record.seq.value, ToStory({Own(Must(record.Decode()))})));
  }
}

struct Slice {
  const char* name;
  ReadOptions options;
};

class OneMomentTest : public testing::TestWithParam<Slice> {
 protected:
  // A conversation of two turns; with or without a repair from before.
  static void Begin(Log& log, bool repaired) {
    Must(log.Append(Id("a"), Story("T CR Q:a M T CR Q:b M")));
    if (repaired) Must(log.Append(Id("a"), RepairOf({Drop(7)}, 8, 7, 7)));
  }
  // Drops events, inserts one, begins another turn.
  static void Disturb(Log& log) {
    Must(log.Append(Id("a"), RepairOf({Drop(3), Insert(4, "E:a"), Drop(8)}, 8, 3, 8)));
    Must(log.Append(Id("a"), Story("T CR M")));
  }
};

TEST_P(OneMomentTest, IsTheViewOfBeforeOrAfter) {
  for (const bool repaired : {false, true}) {
    bool done = true;
    for (int n = 0; done; ++n) {
      const TempDir folder;
      const auto log = Must(OpenSegmentLog(folder / "store"));
      Begin(*log, repaired);
      const auto before = View(*log, GetParam().options);
      SteppedLog stepped(*log, n, [&] { Disturb(*log); });
      const auto seen = View(stepped, GetParam().options);
      done = stepped.done();
      if (!done) Disturb(*log);
      EXPECT_THAT(seen, AnyOf(before, View(*log, GetParam().options))) << "at call " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Slices, OneMomentTest,
                         testing::Values(Slice{"All", {}}, Slice{"Backward", {.from = {0}, .backward = true}},
                                         Slice{"LastTwo", {.from = {0}, .backward = true, .limit = 2}},
                                         Slice{"From", {.from = {3}}}, Slice{"LastTurn", {.last_turns = 1}},
                                         Slice{"LastTurnBackward", {.last_turns = 1, .backward = true}},
                                         Slice{"Turn", {.from_turn = Turn{2}, .limit = 3}},
                                         Slice{"NextTurn", {.from_turn = Turn{3}}},
                                         Slice{"BackwardFromFarAhead", {.from = {1'000}, .backward = true}}),
                         [](const auto& slice) { return slice.param.name; });

// Without its response and not pending, it would be one that a repair has closed.
TEST(InquiryLookupTest, IsOfOneMomentWhateverIsAnsweredMeanwhile) {
  for (int n = 0, done = 0; done == 0; ++n) {
    const TempDir folder;
    const auto log = Must(OpenSegmentLog(folder / "store"));
    Must(log->Append(Id("a"), std::vector<Event>{NewTurn(), Ask(Opaque("q"))}));
    SteppedLog stepped(*log, n, [&] { Must(log->Append(Id("a"), Answer(Opaque("q")))); });
    const auto found = Must(stepped.FindInquiry(Id("a"), {.text = "q", .key = {}}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found.front().pending, found.front().response.has_value()) << "at call " << n;
    done = stepped.done() ? 0 : 1;
  }
}

}  // namespace
}  // namespace turnlog::one_moment_test
