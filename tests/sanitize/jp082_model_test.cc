// The profile jp082 against a simple program that does the same, on random conversations. Those that differ are shrunk
// to the relevant words.
#include "tests/sanitize/jp082_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sanitize/streams.h"
#include "tests/support/story.h"
#include "turnlog/event_json.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::jp082_model_test {
namespace {

constexpr int kStreamsOfASeed = 1000;

std::vector<Event> Planned(const std::vector<Event>& events) {
  return ApplyToEvents(PlanRepair({.profile = RepairProfile::kJp082}, events), events);
}

std::string Lines(const std::vector<Event>& events) {
  std::string lines;
  for (const Event& event : events) lines += ToJson(View(event)) + "\n";
  return lines;
}

// Also compares a second run: the profile is not idempotent.
bool Differs(const std::string& story) {
  const std::vector<Event> events = Story(story);
  const std::vector<Event> once = Planned(events), model = Jp082Model(events);
  return Lines(once) != Lines(model) || Lines(Planned(once)) != Lines(Jp082Model(model));
}

std::vector<std::string> Split(const std::string& story) {
  std::istringstream in(story);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string WithoutWord(const std::vector<std::string>& words, std::size_t left_out) {
  std::string story;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != left_out) story += words[i] + " ";
  }
  return story;
}

// Removes words as long as the failure remains.
template <class Fails>
std::string Shrunk(std::string story, const Fails& fails) {
  const std::vector<std::string> words = Split(story);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string shorter = WithoutWord(words, i);
    if (fails(shorter)) return Shrunk(shorter, fails);
  }
  return story;
}

class Jp082OnRandomStreams : public testing::TestWithParam<std::uint64_t> {
 protected:
  void ExpectTheSame(const std::string& story) {
    if (!Differs(story)) return;
    const std::string shrunk = Shrunk(story, Differs);
    const std::vector<Event> events = Story(shrunk);
    ADD_FAILURE() << "seed " << GetParam() << ": " << story << "\ncut down: " << shrunk
                  << "\nplanned: " << ToStory(Planned(events)) << "\nmodel:   " << ToStory(Jp082Model(events));
  }
};

TEST_P(Jp082OnRandomStreams, DoesTheSameWithAnyWordsInAnyOrder) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < kStreamsOfASeed && !HasFailure(); ++i) ExpectTheSame(RandomStory(random));
}

TEST_P(Jp082OnRandomStreams, DoesTheSameWithWhatAgentsWrite) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < kStreamsOfASeed && !HasFailure(); ++i) ExpectTheSame(LikelyStory(random));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Jp082OnRandomStreams, testing::Range<std::uint64_t>(1, 5));

TEST(Shrinking, LeavesOnlyTheWordsThatMatter) {
  const auto fails = [](const std::string& story) { return story.contains("Q:c1") && story.contains("R:c2"); };
  EXPECT_EQ(Shrunk("T CR Q:c1 M T CR M R:c2 M ", fails), "Q:c1 R:c2 ");
}

}  // namespace
}  // namespace turnlog::jp082_model_test
