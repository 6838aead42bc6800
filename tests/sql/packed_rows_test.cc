// Rows of several events: read from any seq, changed one by one, and damaged at every byte.
#include "tests/log_conformance/stored_text.h"
#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"
#include "tests/support/effort.h"

namespace turnlog::packed_rows_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PackedRowsTest : public Destroying<SqlTest> {
 protected:
  void SetUp() override {
    SqlTest::SetUp();
    if (log_ == nullptr) return;
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= kEvents; ++seq) events.push_back(Say(Text(seq)));
    Must(log_->Append(Id("a"), events));
    lines_ = Lines(*log_, "a");
  }

  static std::string Text(std::uint64_t seq) { return "event-" + std::to_string(seq); }
  // A value of the conversation's only row, or of `where`.
  std::string Ask(const std::string& columns) { return server().Ask("SELECT " + columns + " FROM " + Table()); }
  std::string Table() { return schema_->name() + ".turnlog_event"; }
  std::string Rows() { return Ask("count(*)"); }

  // The lines, either as they were or damage; both directions agree. Returns the seqs of the damaged ones.
  std::vector<std::uint64_t> Damaged() {
    const std::vector<std::string> lines = Lines(*log_, "a");
    std::vector<std::string> backward = Lines(*log_, "a", {.from = {0}, .backward = true});
    std::ranges::reverse(backward);
    EXPECT_EQ(lines, backward);
    EXPECT_EQ(lines.size(), kEvents);
    std::vector<std::uint64_t> damaged;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i] == lines_[i]) continue;
      EXPECT_THAT(lines[i], HasSubstr("damage"));
      damaged.push_back(i + 1);
    }
    return damaged;
  }

  static constexpr std::uint64_t kEvents = 9;
  std::vector<std::string> lines_;
};

TEST_F(PackedRowsTest, AnAppendIsOneRow) {
  EXPECT_EQ(Rows(), "1");
  for (std::uint64_t from = 1; from <= kEvents; ++from) {
    EXPECT_THAT(Lines(*log_, "a", {.from = {from}, .limit = 1}), ElementsAre(lines_[from - 1]));
    EXPECT_THAT(Lines(*log_, "a", {.from = {from}, .backward = true, .limit = 1}), ElementsAre(lines_[from - 1]));
    EXPECT_EQ(Lines(*log_, "a", {.from = {from}}).size(), kEvents + 1 - from);
    EXPECT_EQ(Lines(*log_, "a", {.from = {from}, .backward = true}).size(), from);
  }
}

TEST_F(PackedRowsTest, EventsOfAnySizeShareRowsOrHaveTheirOwn) {
  std::vector<Event> events;
  std::vector<std::size_t> sizes{1, 7'000, 900, 100, 20'000, 1, 2, 3, 3'000'000, 4'000, 4'000, 7'950, 8'000, 8'100, 1};
  for (const std::size_t size : sizes) events.push_back(Say(std::string(size, 'x')));
  Must(log_->Append(Id("b"), events));
  std::size_t i = 0;
  for (const std::string& line : Lines(*log_, "b")) {
    EXPECT_EQ(line, std::to_string(i + 1) + " 0 " + std::string(sizes[i], 'x'));
    ++i;
  }
  EXPECT_EQ(i, sizes.size());
  EXPECT_EQ(Lines(*log_, "b", {.from = {0}, .backward = true}).size(), sizes.size());
  EXPECT_EQ(TailLines(*Must(log_->Follow({}, Id("b")))).size(), sizes.size());
}

TEST_F(PackedRowsTest, OneEventIsErasedAndAnotherRedacted) {
  Must(Erase("a", {3}));
  Must(Redact("a", {{5, Say("[redacted]")}}));
  EXPECT_EQ(Rows(), "2");  // and that of the `redaction`
  const std::vector<std::string> lines = Lines(*log_, "a");
  for (const std::size_t seq : {1U, 2U, 4U, 6U, 7U, 8U, 9U}) EXPECT_EQ(lines[seq - 1], lines_[seq - 1]);
  EXPECT_THAT(lines[2], HasSubstr("erased"));
  EXPECT_THAT(lines[4], HasSubstr("[redacted]"));
  Must(log_->Checkpoint());
  EXPECT_THAT(StoredObjectsWith(*log_, Text(3)), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, Text(5)), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, Text(4)), testing::Not(IsEmpty()));
}

// New contents may be longer than a row, or than a value.
TEST_F(PackedRowsTest, ALongReplacementDividesTheRow) {
  for (const std::size_t size : {std::size_t{7'900}, std::size_t{3} << 20, std::size_t{1}}) {
    Must(Redact("a", {{5, Say(std::string(size, 'x'))}}));
    const std::vector<std::string> lines = Lines(*log_, "a", {.limit = kEvents});
    EXPECT_THAT(lines[4], HasSubstr(" " + std::string(size, 'x')));
    for (const std::size_t seq : {1U, 2U, 3U, 4U, 6U, 7U, 8U, 9U}) EXPECT_EQ(lines[seq - 1], lines_[seq - 1]);
  }
  Must(Erase("a", {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  for (const std::string& line : Lines(*log_, "a", {.limit = kEvents})) EXPECT_THAT(line, HasSubstr("erased"));
}

TEST_F(PackedRowsTest, AnIdFindsItsEventAndWhetherItIsRedacted) {
  Must(Append(*log_, "b", {Named("x", Say("1")), Named("y", Say("2")), Named("z", Say("3"))}));
  Must(Redact("b", {{2, Named("y", Say("[redacted]"))}}));
  const auto again = Must(Append(*log_, "b", {Named("z", Say("3")), Named("y", Say("2")), Named("new", Say("4"))}));
  ASSERT_EQ(again.events.size(), 3U);
  EXPECT_EQ(again.events[0].seq.value, 3U);
  EXPECT_FALSE(again.events[0].redacted);
  EXPECT_EQ(again.events[1].seq.value, 2U);
  EXPECT_TRUE(again.events[1].redacted);
  EXPECT_EQ(again.events[2].seq.value, 5U);
}

// --- Damage ---

TEST_F(PackedRowsTest, AFlippedBitDamagesOneEventOrTwo) {
  const int size = std::stoi(Ask("octet_length(payload)"));
  for (int byte = 0; byte < size; byte += static_cast<int>(SampleStep(7))) {
    const std::string flip = "UPDATE turnlog_event SET payload = set_byte(payload, " + std::to_string(byte) +
                             ", get_byte(payload, " + std::to_string(byte) + ") # 16)";
    Run(flip);
    const std::vector<std::uint64_t> damaged = Damaged();
    // The end of an event is the beginning of the next one.
    EXPECT_THAT(damaged.size(), testing::AnyOf(1U, 2U)) << byte;
    EXPECT_EQ(CodeOf(log_->Erase(Id("a"), std::vector<Seq>{{damaged.front()}})), "corruption");
    Run(flip);
  }
  EXPECT_THAT(Damaged(), IsEmpty());
}

TEST_F(PackedRowsTest, DamagedColumns) {
  Must(Append(*log_, "b", {Say("other"), Say("conversation")}));
  const std::string a = " WHERE conv = (SELECT conv FROM turnlog_head WHERE name = 'a')";
  for (const std::string events : {"0", "1", "2", "8", "10", "1000000000", "-1"}) {
    Run("UPDATE turnlog_event SET events = " + events + a);
    EXPECT_THAT(Damaged(), testing::Not(IsEmpty())) << events;
    Must(log_->Append(Id("b"), Say("still works")));
  }
  Run("UPDATE turnlog_event SET events = 9" + a);
  EXPECT_THAT(Damaged(), IsEmpty());
  Run("UPDATE turnlog_event SET checksum = checksum + 1" + a);
  EXPECT_THAT(Damaged(), IsEmpty());  // each event has its own
  Run("UPDATE turnlog_event SET payload = substr(payload, 1, 300)" + a);
  EXPECT_THAT(Damaged(), testing::Not(IsEmpty()));
  Run("UPDATE turnlog_event SET payload = ''" + a);
  EXPECT_EQ(Damaged().size(), kEvents);
  Run("DELETE FROM turnlog_event" + a);
  EXPECT_EQ(Damaged().size(), kEvents);
  EXPECT_EQ(Lines(*log_, "b", {.limit = 2}).back(), "2 0 conversation");
}

// A lost row in the middle: what is before and after it is read.
TEST_F(PackedRowsTest, ALostRow) {
  for (int i = 0; i < 3; ++i) Must(Append(*log_, "b", {Say("1"), Say("2"), Say("3")}));
  Run("DELETE FROM turnlog_event WHERE seq = 4");
  const std::vector<std::string> lines = Lines(*log_, "b");
  std::vector<std::string> backward = Lines(*log_, "b", {.from = {0}, .backward = true});
  std::ranges::reverse(backward);
  EXPECT_EQ(lines, backward);
  ASSERT_EQ(lines.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(lines[i].find("damage") != std::string::npos, i / 3 == 1) << lines[i];
}

}  // namespace
}  // namespace turnlog::packed_rows_test
