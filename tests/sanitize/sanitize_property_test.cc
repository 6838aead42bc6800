// Random conversations that grow, are sanitized sometimes, closed, undone, and sanitized again.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/sanitize/sanitize_fixture.h"
#include "tests/sanitize/streams.h"
#include "tests/support/story.h"
#include "turnlog/event_json.h"

namespace turnlog::sanitize_property_test {
namespace {

using ::testing::IsEmpty;

std::vector<std::string> InWords(const SanitizePlan& plan) {
  std::vector<std::string> lines = Brief(plan);
  for (const Insert& insert : plan.add.inserts) lines.push_back(insert.event ? ToJson(View(*insert.event)) : "moved");
  return lines;
}

std::vector<std::string> Words(const std::string& story) {
  std::vector<std::string> words(1);
  for (const char c : story) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::erase(words, "");
  return words;
}

class SanitizeOnRandomStreams : public LogTest, public testing::WithParamInterface<std::uint64_t> {
 protected:
  bool OneIn(std::uint64_t n) { return random_() % n == 0; }

  // Another conversation.
  std::string Begin(int i) {
    std::string story = i % 2 == 0 ? RandomStory(random_) : LikelyStory(random_);
    if (i % 2 == 1) story += LikelyStory(random_);
    story_ = Words(story);
    told_ = 0;
    return story;
  }

  // The next few words, or all remaining ones.
  void Grow(const std::string& conversation) {
    std::string words;
    for (std::uint64_t n = 1 + random_() % 12; n > 0 && told_ < story_.size(); --n) words += story_[told_++] + " ";
    AppendStory(*log_, conversation, words);
  }

  SanitizePlan Plan(const ConversationId& id, const SanitizeOptions& options) {
    return Must(PlanSanitize(*log_, id, options));
  }

  // Plans without a watermark.
  SanitizePlan PlanAfresh(const ConversationId& id, const SanitizeOptions& options) {
    const auto watermark = Must(log_->FindWatermark("sanitize", id));
    Must(log_->SetWatermark("sanitize", id, {Seq{0}, ""}));
    SanitizePlan plan = Plan(id, options);
    if (watermark) Must(log_->SetWatermark("sanitize", id, *watermark));
    return plan;
  }

  void ExpectRunsTwiceLikeOnce(const std::string& name, const SanitizeOptions& options) {
    const ConversationId id = Id(name);
    EXPECT_EQ(InWords(Plan(id, options)), InWords(PlanAfresh(id, options)));
    Must(Sanitize(*log_, id, options));
    EXPECT_THAT(Must(Sanitize(*log_, id, options)).repairs, IsEmpty());
    EXPECT_THAT(Must(Sanitize(*log_, id, kStrictly)).repairs, IsEmpty()) << "what was closed is opened again";
    EXPECT_THAT(InWords(PlanAfresh(id, kStrictly)), IsEmpty());
  }

  // Global events and the order stay the same, and remaining events are those of the log.
  void ExpectNothingButTheRepairs(const std::string& name) {
    const std::vector<Event> raw = RawEvents(*log_, name);
    std::vector<std::string> changed = ActiveNow(*log_, name);
    std::vector<std::string> shown;
    for (const Event& event : ShownEvents(*log_, name)) shown.push_back(ToJson(event));
    std::size_t missing = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i].kind() == EventKind::kRepair) continue;
      const bool there = std::ranges::find(shown, ToJson(raw[i])) != shown.end();
      if (!there) ++missing;
      const bool may_go = !IsGlobal(raw[i].kind()) || raw[i].kind() == EventKind::kCompaction;
      EXPECT_TRUE(there || may_go) << "a global kind is gone";
    }
    const auto drops = std::ranges::count_if(changed, [](const auto& text) { return text.starts_with("drop"); });
    EXPECT_EQ(missing, static_cast<std::size_t>(drops)) << "the repairs do not add up";
  }

  std::mt19937_64 random_{GetParam()};
  std::vector<std::string> story_;
  std::size_t told_ = 0;
};

TEST_P(SanitizeOnRandomStreams, RememberingChangesNothingButTheCost) {
  for (int i = 0; i < 60; ++i) {
    const std::string name = "c" + std::to_string(i);
    const std::string story = Begin(i);
    SCOPED_TRACE(fmt::format("seed {}, {}: {}", GetParam(), name, story));
    while (told_ < story_.size()) {
      Grow(name);
      const bool close = OneIn(4);
      ExpectRunsTwiceLikeOnce(name, close ? kClosing : kStrictly);
      ExpectNothingButTheRepairs(name);
      const std::vector<Event> shown = ShownEvents(*log_, name);
      EXPECT_THAT(ResidualDamage(shown, Plan(Id(name), kStrictly).open > 0), IsEmpty()) << ToStory(shown);
      if (close) {
        EXPECT_EQ(ToStory(shown), ToStory(SanitizedAfresh(*log_, name, kClosing)));
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(SanitizeOnRandomStreams, WhatIsUndoneStaysUndone) {
  for (int i = 0; i < 30; ++i) {
    const std::string name = "c" + std::to_string(i);
    const std::string story = Begin(i);
    SCOPED_TRACE(fmt::format("seed {}, {}: {}", GetParam(), name, story));
    while (told_ < story_.size()) {
      Grow(name);
      ExpectRunsTwiceLikeOnce(name, OneIn(4) ? kClosing : kStrictly);
      const auto recorded = Must(ListRepairs(*log_, Id(name)));
      if (!recorded.empty() && OneIn(2)) {
        const RecordedRepair& one = recorded[random_() % recorded.size()];
        EXPECT_EQ(CodeOf(UndoRepair(*log_, Id(name), one.seq, Durability::kBuffered)),
                  one.undone ? "invalid argument" : "fine");
        if (OneIn(2)) ExpectRunsTwiceLikeOnce(name, OneIn(4) ? kClosing : kStrictly);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(SanitizeOnRandomStreams, ErasingWhatWasDroppedChangesNothing) {
  for (int i = 0; i < 40; ++i) {
    const std::string name = "c" + std::to_string(i);
    const std::string story = Begin(i);
    SCOPED_TRACE(fmt::format("seed {}, {}: {}", GetParam(), name, story));
    while (told_ < story_.size()) {
      Grow(name);
      ExpectRunsTwiceLikeOnce(name, OneIn(4) ? kClosing : kStrictly);
      const std::vector<Event> shown = ShownEvents(*log_, name);
      EXPECT_THAT(ResidualDamage(shown, Plan(Id(name), kStrictly).open > 0), IsEmpty()) << ToStory(shown);
      if (OneIn(2)) {
        Must(Scavenge(*log_, Id(name)));
        EXPECT_EQ(ToStory(ShownEvents(*log_, name)), ToStory(shown));
        EXPECT_THAT(InWords(PlanAfresh(Id(name), kStrictly)), IsEmpty());
      }
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SanitizeOnRandomStreams, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace turnlog::sanitize_property_test
