// Sessions that begin with a marked copy of another one: it comes in once, but never is it missing.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "migrate/logged/copied_history.h"
#include "migrate/logged/source_groups.h"
#include "migrate/sources/find_sources.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/migrate/usage.h"

namespace turnlog::forked_sessions_test {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// In the order of their names the fork of the fork comes first, and the origin last.
const std::string kOrigin = "f0000000-0000-4000-8000-000000000001", kFork = "b0000000-0000-4000-8000-000000000002",
                  kForkOfFork = "a0000000-0000-4000-8000-000000000003";

std::string Uuid(int number) { return fmt::format("0a1b2c3d-4e5f-4061-8071-{:012x}", number); }

class ForkedSessionsTest : public ImportTest {
 protected:
  // Prompts with the numbers after `first`; copies are of those after `original` in the session `copied_from`.
  static std::string Claude(int first, int prompts, const std::string& copied_from = {}, int original = 0) {
    std::string text, mark;
    for (int i = 1; i <= prompts; ++i) {
      if (!copied_from.empty()) {
        mark = fmt::format(R"(,"forkedFrom":{{"sessionId":"{}","messageUuid":"{}"}})", copied_from, Uuid(original + i));
      }
      text += ClaudeUser(Uuid(first + i), fmt::format(R"("prompt {}")", first % 100 + i), mark) + "\n";
    }
    return text;
  }
  void Session(const std::string& session, const std::string& text) { Write("all/" + session + ".jsonl", text); }
  void Rollout(const std::string& thread, const std::string& text) {
    Write("all/rollout-2026-01-01T00-00-00-" + thread + ".jsonl", text);
  }
  ImportReport ImportAll() {
    const fs::path path = dir_ / "all";
    return Must(Import(*log_, "auto", {&path, 1}));
  }
  // The texts of the user in a request for Anthropic.
  std::vector<std::string> SaidInRequest(const std::string& session) {
    std::string out;
    const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
    const std::vector<ConversationId> ids{Id(session)};
    const ExportReport report = Must(ExportToStream(*log_, "anthropic", ids, sink, {}));
    changes_.clear();
    for (const ExportChange& change : report.changes) {
      changes_.push_back(fmt::format("{} {}", change.what, change.count));
    }
    std::vector<std::string> said;
    for (std::size_t at = out.find("prompt "); at != std::string::npos; at = out.find("prompt ", at + 1)) {
      said.push_back(out.substr(at, 8));
    }
    return said;
  }
  std::string OriginMissing(const std::string& session) { return PartOf(session, kOriginMissingPart); }

  std::vector<std::string> changes_;
};

TEST_F(ForkedSessionsTest, KeepTheirHistoryWhenTheOriginIsNotKnown) {
  const std::string text = Claude(100, 2, kOrigin) + Claude(102, 1);
  Session(kFork, text);
  EXPECT_THAT(ImportAll().problems, IsEmpty());
  EXPECT_THAT(Said(kFork), ElementsAre("prompt 1", "prompt 2", "prompt 3"));
  EXPECT_EQ(OriginMissing(kFork), kOrigin);
  EXPECT_EQ(ExportRawText("claude-code", kFork), text);
}

// In one import, whatever the order of the names is: the log has each prompt once.
TEST_F(ForkedSessionsTest, ComeAfterTheOriginAndRepeatNothing) {
  Session(kOrigin, Claude(100, 2));
  Session(kFork, Claude(200, 2, kOrigin) + Claude(202, 1));
  Session(kForkOfFork, Claude(300, 3, kFork) + Claude(303, 1));
  EXPECT_EQ(ImportAll().added, 3U);
  EXPECT_THAT(Said(kOrigin), ElementsAre("prompt 1", "prompt 2"));
  EXPECT_THAT(Said(kFork), ElementsAre("prompt 3"));
  EXPECT_THAT(Said(kForkOfFork), ElementsAre("prompt 4"));
  EXPECT_EQ(OriginMissing(kFork) + OriginMissing(kForkOfFork), "");
}

// The names decide which of the files is found first: all orders of three of them.
class NamedForksTest : public ForkedSessionsTest, public ::testing::WithParamInterface<int> {
 protected:
  NamedForksTest() {
    for (int i = 0; i < GetParam(); ++i) std::ranges::next_permutation(ids_);
  }
  // The records as those of a session at an hour.
  static std::string Of(const std::string& session, const std::string& hour, const std::string& text) {
    const std::string named = std::regex_replace(text, std::regex(std::string(kClaudeSession)), session);
    return std::regex_replace(named, std::regex("T10:"), "T" + hour + ":");
  }

  std::vector<std::string> ids_{kForkOfFork, kFork, kOrigin};
};

INSTANTIATE_TEST_SUITE_P(Names, NamedForksTest, ::testing::Range(0, 6));

TEST_P(NamedForksTest, ComeAfterWhatTheyAreForksOf) {
  const std::string &origin = ids_[0], &fork = ids_[1], &fork_of_fork = ids_[2];
  Session(fork_of_fork, Claude(300, 3, fork) + Claude(303, 1));
  Session(fork, Claude(200, 2, origin) + Claude(202, 1));
  Session(origin, Claude(100, 2));
  EXPECT_THAT(ImportAll().problems, IsEmpty());
  EXPECT_THAT(Said(origin), ElementsAre("prompt 1", "prompt 2"));
  EXPECT_THAT(Said(fork), ElementsAre("prompt 3"));
  EXPECT_THAT(Said(fork_of_fork), ElementsAre("prompt 4"));
  EXPECT_EQ(OriginMissing(fork) + OriginMissing(fork_of_fork), "");
}

// A fork that goes on after it was forked ends later than the copy of it.
TEST_P(NamedForksTest, ComeAfterAForkThatHasGoneOn) {
  const std::string &origin = ids_[0], &fork = ids_[1], &fork_of_fork = ids_[2];
  const std::string copy = Of(origin, "10", Claude(100, 2));
  Session(fork_of_fork, Claude(300, 2, fork) + Of(fork_of_fork, "11", Claude(302, 1)));
  Session(fork, Claude(200, 2, origin) + Of(fork, "12", Claude(202, 1)));
  Session(origin, copy);
  ImportAll();
  EXPECT_THAT(Said(fork_of_fork), ElementsAre("prompt 3"));
  EXPECT_EQ(OriginMissing(fork) + OriginMissing(fork_of_fork), "");
}

// Older versions wrote a session again when it was resumed.
TEST_P(NamedForksTest, ComeAfterTheOriginAsAResumedCopyDoes) {
  const std::string &origin = ids_[0], &fork = ids_[1], &resumed = ids_[2];
  Session(resumed, Of(resumed, "12", Claude(100, 3)));
  Session(fork, Of(fork, "11", Claude(200, 2, origin) + Claude(202, 1)));
  Session(origin, Of(origin, "10", Claude(100, 2)));
  EXPECT_THAT(ImportAll().problems, IsEmpty());
  EXPECT_THAT(Said(origin), ElementsAre("prompt 1", "prompt 2"));
  EXPECT_THAT(Said(fork), ElementsAre("prompt 3"));
  EXPECT_THAT(Said(resumed), ElementsAre("prompt 3"));
  EXPECT_EQ(OriginMissing(fork), "");
  EXPECT_EQ(PartOf(resumed, kResumedFromPart), origin);
}

// Whichever of them came first: each message is in the log.
TEST_F(ForkedSessionsTest, MayClaimToBeCopiesOfOneAnother) {
  Session(kOrigin, Claude(100, 1, kFork) + Claude(101, 1));
  Session(kFork, Claude(200, 1, kOrigin) + Claude(201, 1));
  EXPECT_EQ(ImportAll().added, 2U);
  EXPECT_THAT(Said(kOrigin).size() + Said(kFork).size(), 3U);
}

// What was decided stays when the file grows, is written again as a whole, and when the origin comes after all.
TEST_F(ForkedSessionsTest, KeepTheirMeaning) {
  Session(kFork, Claude(100, 2, kOrigin));
  ImportAll();
  Settle();
  Session(kOrigin, Claude(500, 2));
  std::ofstream(dir_ / "all" / (kFork + ".jsonl"), std::ios::app) << Claude(102, 1, kOrigin) << Claude(103, 1);
  const ImportReport grown = ImportAll();
  EXPECT_THAT(grown.problems, IsEmpty());
  EXPECT_EQ(grown.extended, 1U);
  EXPECT_THAT(Said(kFork), SizeIs(4));
  Settle();
  EXPECT_EQ(ImportAll().unchanged, 2U);
  Session(kFork, "{}\n" + Claude(100, 3, kOrigin) + Claude(103, 2));
  EXPECT_THAT(ImportAll().problems, IsEmpty());
  EXPECT_THAT(Said(kFork), SizeIs(5));
  EXPECT_EQ(OriginMissing(kFork), kOrigin);
}

// What a model has seen of a fork begins with what it has copied, and ends before what its origin has got since.
TEST_F(ForkedSessionsTest, GoOnWithWhatTheyHaveCopied) {
  Session(kOrigin, Claude(100, 3));
  Session(kFork, Claude(200, 2, kOrigin, 100) + Claude(202, 1));
  Session(kForkOfFork, Claude(300, 3, kFork, 200) + Claude(303, 1));
  ImportAll();
  EXPECT_THAT(SaidInRequest(kOrigin), ElementsAre("prompt 1", "prompt 2", "prompt 3"));
  EXPECT_THAT(changes_, IsEmpty());
  EXPECT_THAT(SaidInRequest(kFork), ElementsAre("prompt 1", "prompt 2", "prompt 3"));
  EXPECT_THAT(changes_, ElementsAre("copied-turn-added 2"));
  EXPECT_THAT(SaidInRequest(kForkOfFork), ElementsAre("prompt 1", "prompt 2", "prompt 3", "prompt 4"));
  EXPECT_THAT(changes_, ElementsAre("copied-turn-added 3"));
}

// What has nothing in common with a chain of forks runs beside it.
TEST_F(ForkedSessionsTest, RunAfterOneAnotherAndBesideOtherSessions) {
  for (int i = 1; i <= 9; ++i) {
    Session(fmt::format("c0000000-0000-4000-8000-{:012}", i), Claude(1000 * i, 1));
  }
  Session(kOrigin, Claude(100, 2));
  Session(kFork, Claude(200, 2, kOrigin));
  Session(kForkOfFork, Claude(300, 2, kFork));
  const std::vector<fs::path> paths{dir_ / "all"};
  const SourceGroups groups = GroupSources(*log_, FindSources(paths, nullptr).sources);
  EXPECT_THAT(groups.others, IsEmpty());
  EXPECT_THAT(groups.parallel, SizeIs(10));
  EXPECT_THAT(groups.parallel.front(), ElementsAre(11, 1, 0));
}

std::string Tokens(int total) {
  return CodexRecord("event_msg",
                     fmt::format(R"({{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{},)"
                                 R"("output_tokens":0,"total_tokens":{}}}}}}})",
                                 total, total));
}

std::string Ask(const std::string& text) {
  return CodexRecord("response_item",
                     R"({"type":"message","role":"user","content":[{"type":"input_text","text":")" + text + R"("}]})");
}

std::string Lines(std::initializer_list<std::string> records) {
  std::string text;
  for (const std::string& record : records) text += record + "\n";
  return text;
}

class ForkedThreadsTest : public ForkedSessionsTest {
 protected:
  static std::string Meta(const std::string& id) {
    return CodexRecord("session_meta", R"({"id":")" + id + R"(","cwd":"/x"})");
  }
  std::uint64_t TokensCounted() {
    const std::vector<ConversationId> ids = All();
    return Must(CountUsage(*log_, UsageBy::kConversation, ids)).sum.tokens.input;
  }
  const std::string fork_ = Lines({Meta(kFork), Meta(kOrigin), Ask("old"), Tokens(100)}),
                    origin_ = Lines({Meta(kOrigin), Ask("old"), Tokens(100)});
};

TEST_F(ForkedThreadsTest, KeepTheirHistoryWhenTheOriginIsNotKnown) {
  Rollout(kFork, fork_);
  EXPECT_THAT(ImportAll().problems, IsEmpty());
  EXPECT_THAT(Said(kFork), ElementsAre("old"));
  EXPECT_EQ(TokensCounted(), 100U);
  EXPECT_EQ(ExportRawText("codex", kFork), fork_);
  Rollout(kOrigin, origin_);
  ImportAll();
  EXPECT_EQ(TokensCounted(), 100U);  // of the origin now
}

TEST_F(ForkedThreadsTest, ComeAfterTheOriginAndRepeatNothing) {
  Rollout(kFork, fork_);
  Rollout(kOrigin, origin_);
  EXPECT_EQ(ImportAll().added, 2U);
  EXPECT_THAT(Said(kOrigin), ElementsAre("old"));
  EXPECT_THAT(Said(kFork), IsEmpty());
  EXPECT_EQ(TokensCounted(), 100U);
}

TEST_F(ForkedThreadsTest, GoOnWithWhatTheyHaveCopied) {
  const auto at = [](std::string record, const std::string& second) {
    return record.replace(record.find("10:00:00"), 8, "10:00:" + second);
  };
  Rollout(kOrigin, Lines({Meta(kOrigin), at(Ask("prompt 1"), "10"), at(Ask("prompt 2"), "40")}));
  Rollout(kFork, Lines({at(Meta(kFork), "30"), at(Meta(kOrigin), "30"), at(Ask("prompt 1"), "30"),
                        at(Ask("prompt 3"), "50")}));
  ImportAll();
  EXPECT_THAT(SaidInRequest(kFork), ElementsAre("prompt 1", "prompt 3"));
  EXPECT_THAT(changes_, ElementsAre("copied-turn-added 1"));
}

}  // namespace
}  // namespace turnlog::forked_sessions_test
