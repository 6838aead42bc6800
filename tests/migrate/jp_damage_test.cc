// Damaged histories of jp: what is not damaged is read, and every byte goes out again.
#include <gmock/gmock.h>

#include "migrate/jp/array.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/find_element.h"
#include "migrate/records/json_array.h"
#include "tests/migrate/jp_events.h"
#include "tests/migrate/jp_layouts.h"
#include "tests/migrate/jp_vectors.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"

namespace turnlog::jp_damage_test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"timestamp":"2026-01-01 00:00:00.0","type":"turn_start"})";
constexpr std::string_view kAsk = R"({"timestamp":"2026-01-01 00:00:00.0","type":"chat_request","content":"hi"})";
constexpr std::string_view kSay = R"({"timestamp":"2026-01-01 00:00:00.0","type":"chat_response","message":"ho"})";

// Reads a text, and expects that nothing of it gets lost.
JpHistory Read(const std::string& text, const JpLayoutSample& sample) {
  auto history = ReadJpHistory(text, sample.packed(), sample.history_name());
  EXPECT_TRUE(history);
  EXPECT_EQ(WriteBack(*history), text);
  EXPECT_LE(history->taken, text.size());
  EXPECT_TRUE(history->taken == text.size() || !history->problems.empty()) << text;
  return *std::move(history);
}

JpHistory Read(const std::string& text) {
  return Read(text, {.files = {{"base_config.json", ""}, {"events.json", ""}}});
}

// The events that could be read, of all elements but one.
std::vector<std::string> Good(const JpHistory& history, std::optional<std::uint64_t> but = std::nullopt) {
  std::vector<std::string> good;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    Event event = history.events[i];
    event.source_text.reset();
    if (!ReadQuarantined(View(event)) && (!but || history.elements[i] != but)) good.push_back(ToJson(View(event)));
  }
  return good;
}

// The element in whose text the byte is.
std::optional<std::uint64_t> ElementAt(const RawElements& split, std::size_t byte) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < split.elements.size(); ++i) {
    const std::size_t begin = end + split.elements[i].lead.size();
    end = begin + split.elements[i].text.size();
    if (byte >= begin && byte < end) return i;
  }
  return std::nullopt;
}

class DamagedLayout : public ::testing::TestWithParam<JpLayoutSample> {};
INSTANTIATE_TEST_SUITE_P(Samples, DamagedLayout, ::testing::ValuesIn(JpLayouts()));

TEST_P(DamagedLayout, CutAtAnyByteLosesOnlyTheElementThere) {
  const std::string& text = GetParam().history();
  const RawElements split = SplitJpEvents(text).value();
  for (std::size_t size = 0; size <= text.size(); size += kByteStep) {
    const JpHistory history = Read(text.substr(0, size), GetParam());
    const std::vector<std::string> good = Good(history);
    std::size_t expected = 0, end = 0;
    for (const RawElement& element : split.elements) {
      end += element.lead.size() + element.text.size();
      if (end > size) break;
      const auto upto = ReadJpHistory(text.substr(0, end), GetParam().packed(), GetParam().history_name());
      expected = Good(*upto).size();
    }
    ASSERT_EQ(good.size(), expected) << size;
  }
}

TEST_P(DamagedLayout, WithAnyByteChangedLosesOnlyTheElementThere) {
  const std::string& text = GetParam().history();
  const JpHistory whole = Read(text, GetParam());
  const RawElements split = SplitJpEvents(text).value();
  for (std::size_t at = 0; at < text.size(); at += kByteStep) {
    const std::vector<std::string> others = Good(whole, ElementAt(split, at));
    for (const char letter : {'"', '{', '}', ']', ',', '\\', '\0', '\xff', ' ', static_cast<char>(text[at] ^ 1)}) {
      std::string damaged = text;
      damaged[at] = letter;
      const JpHistory history = Read(damaged, GetParam());
      ASSERT_THAT(others, IsSubsetOf(Good(history))) << at << letter << "\n" << damaged;
    }
  }
}

std::string List(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

TEST(JpDamage, MarksAndLineBreaksOfOtherSystemsAreNone) {
  EXPECT_THAT(Read(List({"\xef\xbb\xbf[", kTurn, "]"})).problems, IsEmpty());
  EXPECT_THAT(Read(List({"\xef\xbb\xbf[]"})).problems, IsEmpty());
  EXPECT_THAT(Read(List({"[\r\n  ", kTurn, ",\r\n  ", kAsk, "\r\n]\r\n"})).problems, IsEmpty());
}

TEST(JpDamage, ElementsAreFoundAroundIt) {
  const std::string nul(600, '\0');
  const struct {
    std::string text;
    std::size_t good, problems;
  } kCases[] = {
      {"", 0, 1},
      {nul, 0, 1},
      {"no JSON at all", 0, 1},
      {std::string(kAsk), 1, 1},
      {List({kTurn, ",", kAsk, "]"}), 2, 1},
      {List({"[", kTurn, kAsk, "]"}), 2, 1},
      {List({"[", kTurn, "\n", kAsk, ",", kSay, "]"}), 3, 1},
      {List({"[", kTurn, ",,", kAsk, "]"}), 2, 1},
      {List({"[", kTurn, ",]"}), 1, 1},
      {List({"[", kTurn, ",\n", nul, kAsk, ",", kSay, "]"}), 3, 1},
      {List({"[", kTurn, ",", kAsk, "]", nul}), 2, 1},
      {List({"[", kTurn, "][", kAsk, "]"}), 2, 1},
      {List({"[", kTurn, ",", kAsk.substr(0, 60), kSay, "]"}), 2, 1},
      {List({"[", kTurn, ",", kAsk.substr(0, 60), ",", kSay, "]"}), 2, 1},
      {List({"[", kTurn, ",", kAsk.substr(30), ",", kSay, "]"}), 2, 1},
      {List({"[", kTurn, ",", R"({"timestamp":"x","type":"chat_request","content":"a)", "\n", R"("},)", kSay, "]"}), 2,
       1},
      {List({"[", kTurn, ",", kAsk, ",", kAsk, "]"}), 3, 0},
  };
  for (const auto& [text, good, problems] : kCases) {
    const JpHistory history = Read(text);
    EXPECT_THAT(Good(history), SizeIs(good)) << text;
    EXPECT_THAT(history.problems, SizeIs(problems)) << text;
  }
}

TEST(JpDamage, ReplacesBytesThatAreNoText) {
  const std::string text =
      List({"[", kTurn, R"(,{"type":"chat_request","content":"a)", "\xff", R"(b\ud800"},)", kSay, "]"});
  const JpHistory history = Read(text);
  ASSERT_THAT(history.events, SizeIs(4));
  EXPECT_TRUE(ReadQuarantined(View(history.events[1])));
  EXPECT_EQ(std::get<ChatRequest>(history.events[2].body).content,
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_THAT(history.problems, IsEmpty());
  EXPECT_THAT(history.notes, SizeIs(1));
  EXPECT_EQ(history.taken, text.size());
}

TEST(JpDamage, TakesAnElementWithRepeatedFields) {
  const JpHistory history = Read(R"([{"type":"chat_request","content":"a","content":"b"}])");
  EXPECT_THAT(Good(history), SizeIs(1));
  EXPECT_THAT(history.problems, IsEmpty());
}

std::optional<FoundElement> Find(std::string_view text, std::size_t from, std::size_t to) {
  std::size_t budget = SearchBudget(text.size());
  const auto found = FindElement(text, {from, to}, IsJpElement, budget);
  return found ? std::optional(*found) : std::nullopt;
}

TEST(FindElement, TakesWhatIsRecognisedOrComesFirst) {
  const std::string text = List({"x,\n  ", R"({"a":1},{"a":2},)", kTurn});
  const auto first = Find(text, 0, text.size());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->lead, 1U);
  EXPECT_EQ(first->begin, 5U);
  EXPECT_EQ(first->end, 12U);
  const auto after = Find(text, 6, text.size());
  ASSERT_TRUE(after);
  EXPECT_EQ(text.substr(after->begin), kTurn);
  EXPECT_FALSE(Find(text, 6, after->begin));
}

TEST(FindElement, TakesNoPartOfAnElementThatTheTextCuts) {
  std::size_t budget = 1'000;
  const std::string text = List({R"({"type":"turn_start","of":[)", kTurn, ","});
  const auto found = FindElement(text, {0, text.size()}, IsJpElement, budget);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), NotFound::kCut);
}

// The time is bounded, whatever the text contains.
TEST(FindElement, IsLinear) {
  std::string text;
  while (text.size() < 1'000'000) text += R"({"a":[)";
  EXPECT_FALSE(Find(text, 0, text.size()));
}

TEST(FindElement, ReadsNoMoreThanItMay) {
  std::size_t budget = 100;
  std::string text;
  while (text.size() < 1'000) text += R"({"a":1},)";
  const auto found = FindElement(text, {1, text.size()}, IsJpElement, budget);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), NotFound::kNone);
  EXPECT_EQ(budget, 0U);
}

}  // namespace
}  // namespace turnlog::jp_damage_test
