// The export of a conversation that grows begins with what it was before, so that a provider's cache of prompts serves
// it: over random appends and repairs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "tests/migrate/any_talk.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::growing_exports_test {
namespace {

using ::testing::StartsWith;

class GrowingExportsTest : public ImportTest {
 protected:
  void Repair(std::string_view conversation) {
    Must(Sanitize(*log_, Id(conversation), {.durability = Durability::kBuffered}));
  }

  std::string ExportedText(std::string_view format, std::string_view conversation) {
    std::string out;
    const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
    const ConversationId id = Id(conversation);
    EXPECT_TRUE(Must(ExportToStream(*log_, format, {&id, 1}, sink, {.raw = true})).failures.empty());
    return out;
  }
};

// What a document of the format may have next, at any point: also calls and results that belong to nothing.
struct Elements {
  const char* format;
  std::vector<std::string> elements;
};

std::vector<Elements> Formats() {
  return {
      {"openai",
       {R"({"role":"user","content":"Hi"})", R"({"role":"assistant","content":"Hello."})",
        R"({"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]})",
        R"({"role":"tool","tool_call_id":"a","content":"x"})", R"({"type":"reasoning","id":"r","summary":[]})"}},
      {"anthropic",
       {R"({"role":"user","content":"Hi"})", R"({"role":"assistant","content":[{"type":"text","text":"Hello."}]})",
        R"({"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]})",
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]})"}},
      {"ui-messages",
       {R"({"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]})",
        R"({"id":"2","role":"assistant","parts":[{"type":"text","text":"Hello."}]})",
        R"({"id":"3","role":"assistant","parts":[{"type":"tool-f","toolCallId":"a","state":"input-available"}]})"}},
      {"model-messages",
       {R"({"role":"user","content":"Hi"})", R"({"role":"assistant","content":"Hello."})",
        R"({"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}},)"
        R"({"type":"tool-approval-request","approvalId":"b","toolCallId":"a"}]})",
        R"({"role":"tool","content":[{"type":"tool-approval-response","approvalId":"b","approved":true}]})",
        R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"a","output":{"type":"text","value":"x"}}]})"}}};
}

TEST_F(GrowingExportsTest, OfDocumentsAreTheirSources) {
  const std::uint64_t documents = SampleSize(3, 25);
  for (const Elements& format : Formats()) {
    for (std::uint64_t seed = 0; seed < documents; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", format.format, seed));
      std::mt19937_64 random(seed);
      const std::string name = fmt::format("{}-{}", format.format, seed);
      std::string open = "[";
      for (int step = 0; step < 45; ++step) {
        open += (step > 0 ? "," : "") + format.elements[random() % format.elements.size()];
        const std::vector<std::filesystem::path> paths{Write(name + ".json", open + "]")};
        ASSERT_TRUE(Must(Import(*log_, format.format, paths)).problems.empty());
        if (random() % 4 == 0) Repair(name);
        ASSERT_EQ(ExportedText(format.format, name), open + "]");
      }
    }
  }
}

// Of the sanitized view: what the turns say that were over and repaired.
TEST_F(GrowingExportsTest, OfJsonLinesBeginWithTheFormerOne) {
  const std::uint64_t conversations = SampleSize(30, 160);
  for (std::uint64_t seed = 1; seed <= conversations; ++seed) {
    SCOPED_TRACE(seed);
    const std::string conversation = fmt::format("c{}", seed);
    AnyTalk talk(seed, AnyTalk::Order::kOfTurns);
    std::string over;
    for (int step = 0; step < 65; ++step) {
      const Event event = talk.Next();
      Append(conversation, event);
      if (talk.random()() % 8 == 0) Repair(conversation);
      const std::string now = ExportToJsonl({Id(conversation)});
      ASSERT_THAT(now, StartsWith(over)) << step;
      if (event.kind() == EventKind::kTurnStart || step == 0) continue;
      Repair(conversation);
      const std::string repaired = ExportToJsonl({Id(conversation)});
      const std::size_t last = repaired.rfind(R"("type":"turn_start")");
      over = repaired.substr(0, repaired.rfind('\n', last) + 1);
    }
  }
}

}  // namespace
}  // namespace turnlog::growing_exports_test
