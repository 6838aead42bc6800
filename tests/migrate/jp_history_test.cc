#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/migrate/jp_vectors.h"
#include "tests/support/effort.h"

namespace turnlog::jp_history_test {
namespace {

using ::testing::SizeIs;

// All kinds of events, as jp saves them.
constexpr std::string_view kHistory = R"([
  {
    "type": "config_delta",
    "timestamp": "2026-01-01 00:00:00.0",
    "delta": {
      "a": 1.50
    }
  },
  {
    "timestamp": "2026-01-01 00:00:01.5",
    "type": "turn_start"
  },
  {
    "timestamp": "2026-01-01 00:00:02.0",
    "type": "chat_request",
    "content": "\"hi\" [{",
    "schema": {
      "type": "object"
    }
  },
  {
    "timestamp": "2026-01-01 00:00:03.0",
    "type": "tool_call_request",
    "id": "c",
    "name": "t",
    "arguments": {
      "path": "c3JjL21haW4ucnM=",
      "n": [
        1,
        {}
      ]
    },
    "metadata": {
      "m": "eA=="
    }
  },
  {
    "timestamp": "2026-01-01 00:00:04.0",
    "type": "inquiry_request",
    "id": "c.q",
    "source": {
      "source": "tool",
      "name": "t"
    },
    "question": {
      "text": "?",
      "answer_type": {
        "type": "select",
        "options": [
          {
            "value": "y"
          }
        ]
      }
    }
  },
  {
    "timestamp": "2026-01-01 00:00:05.0",
    "type": "inquiry_response",
    "id": "c.q",
    "answer": "y"
  },
  {
    "timestamp": "2026-01-01 00:00:06.0",
    "type": "tool_call_response",
    "id": "c",
    "content": "Pz8_Pj4-",
    "is_error": false
  },
  {
    "timestamp": "2026-01-01 00:00:07.0",
    "type": "chat_response",
    "data": null
  }
]
)";

TEST(JpHistory, TakesTheConfigurationOfThePackedLayoutOutOfTheEvents) {
  const auto packed = ReadJpHistory(kHistory, true);
  ASSERT_TRUE(packed);
  EXPECT_TRUE(packed->packed_config);
  EXPECT_THAT(packed->events, SizeIs(7));
  EXPECT_EQ(packed->events[0].kind(), EventKind::kTurnStart);
  const auto split = ReadJpHistory(kHistory, false);
  ASSERT_TRUE(split);
  EXPECT_FALSE(split->packed_config);
  EXPECT_THAT(split->events, SizeIs(8));
  EXPECT_EQ(split->events[0].kind(), EventKind::kConfigDelta);
}

TEST(JpHistory, KeepsTheBytesOfTheOldShapesOnly) {
  const auto history = ReadJpHistory(kHistory, true);
  ASSERT_TRUE(history);
  for (const Event& event : history->events) {
    const bool old = event.kind() == EventKind::kInquiryResponse || event.kind() == EventKind::kToolCallResponse;
    EXPECT_EQ(event.source_text.has_value(), old) << ToString(event.kind());
  }
}

TEST(JpHistory, CountsElementsInFileOrder) {
  const auto history = ReadJpHistory("[\n  {\"type\":\"config_delta\"},\n  {\"type\":\"turn_start\",}\n]\n", true);
  ASSERT_TRUE(history);
  ASSERT_THAT(history->problems, SizeIs(1));
  EXPECT_EQ(history->problems[0].element, 1);
  EXPECT_EQ(history->problems[0].byte, 52);
}

// Any damaged history is read without loss.
TEST(JpHistory, LosesNothingOfDamagedText) {
  std::mt19937 random(7);
  constexpr std::string_view kLetters = "{}[],:\"\\ \n0te\xc3\x01u-=_";
  std::uint64_t damaged = 0;
  const std::uint64_t rounds = SampleSize(12'000, 1'000'000);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    std::string text(kHistory);
    const auto changes = 1 + random() % 3;
    for (std::size_t change = 0; change < changes; ++change) {
      const std::size_t at = random() % text.size();
      const char letter = kLetters[random() % kLetters.size()];
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 20);
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        case 2:
          text.insert(at, text, random() % text.size(), random() % 40);
          break;
        default:
          text[at] = letter;
          break;
      }
    }
    const auto history = ReadJpHistory(text, i % 2 == 0);
    ASSERT_TRUE(history);
    damaged += history->problems.empty() ? 0 : 1;
    for (const ImportProblem& problem : history->problems) ASSERT_LE(*problem.byte, text.size());
    for (const Event& event : history->events) ASSERT_TRUE(Validate(View(event)));
    ASSERT_EQ(WriteBack(*history), text) << "seed 7, round " << i;
  }
  EXPECT_GT(damaged, rounds * 2 / 5);
}

}  // namespace
}  // namespace turnlog::jp_history_test
