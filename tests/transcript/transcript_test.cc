#include "turnlog/transcript/transcript.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/must.h"
#include "tests/support/temp_dir.h"
#include "tests/transcript/html_tags.h"
#include "transcript/turn_reader.h"
#include "turnlog/event_json.h"
#include "turnlog/sanitize/sanitize.h"
#include "turnlog/segment_log.h"

namespace turnlog::transcript_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TranscriptTest : public ::testing::Test {
 protected:
  TranscriptTest() : log_(Must(SegmentLog(dir_ / "store"))) {}

  static Result<std::unique_ptr<Log>> SegmentLog(const std::filesystem::path& path) { return OpenSegmentLog(path); }

  void Append(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      const Event event = Must(ParseEvent(line));
      Must(log_->Append(id_, event, {.durability = Durability::kBuffered}));
    }
  }

  // All pages, one after the other.
  std::string Write(TranscriptFormat format, const TranscriptOptions& options = {}) {
    pages_.clear();
    report_ = Must(WriteTranscript(
        *log_, id_, format,
        [&](std::size_t page, std::string_view piece) {
          pages_[page] += piece;
          return Status();
        },
        options));
    std::string all;
    for (const auto& [page, text] : pages_) all += text;
    return all;
  }
  std::string Markdown(const TranscriptOptions& options = {}) { return Write(TranscriptFormat::kMarkdown, options); }
  std::string Html(const TranscriptOptions& options = {}) { return Write(TranscriptFormat::kHtml, options); }

  TempDir dir_;
  std::unique_ptr<Log> log_;
  const ConversationId id_ = Must(ConversationId::Parse("talk <b>&\"'"));
  std::map<std::size_t, std::string> pages_;
  TranscriptReport report_;
};

constexpr const char* kTurn = R"({"type":"turn_start"})";

TEST_F(TranscriptTest, ShowsWhatWasSaidAndDone) {
  Append({kTurn, R"({"type":"chat_request","content":"Hello\nyou","author":"Ann","timestamp":"2026-01-02T03:04:05Z"})",
          R"({"type":"chat_response","reasoning":"Hm."})",
          R"({"type":"tool_call_request","id":"a","name":"ls","arguments":{"dir":"."}})",
          R"({"type":"tool_call_response","id":"a","content":"```\nfiles","is_error":true})",
          R"({"type":"chat_response","message":"# Done"})"});
  const std::string markdown = Markdown();
  EXPECT_THAT(markdown, AllOf(HasSubstr("## Turn 1\n\n**User Ann** (2026-01-02T03:04:05Z)\n\n> Hello\n> you\n"),
                              HasSubstr("**Tool ls**\n\n```json\n{\"dir\":\".\"}\n```\n"),
                              HasSubstr("Error:\n\n````text\n```\nfiles\n````\n"), HasSubstr("> # Done\n")));
  EXPECT_EQ(report_.turns, 1U);
  const std::string html = Html();
  EXPECT_THAT(html, AllOf(HasSubstr("<details class=\"call error\"><summary>Tool ls: error"),
                          HasSubstr("<pre class=\"said\">\nHello\nyou</pre>"), HasSubstr("<h2 id=\"turn-1\">")));
}

TEST_F(TranscriptTest, ShowsOutcomesAndWhoDecided) {
  const auto ask = [](const std::string& id, const std::string& type) {
    return R"({"type":"inquiry_request","id":")" + id +
           R"(","source":{"source":"tool","name":"t"},"question":{"text":"Sure?","answer_type":{"type":")" + type +
           R"("}}})";
  };
  Append(
      {kTurn, R"({"type":"chat_request","content":"x"})", ask("c.a.1", "boolean"),
       R"({"type":"inquiry_response","outcome":"answered","id":"c.a.1","answer":true,"responder":{"kind":"user","who":"bo"}})",
       ask("c.b.1", "secret"), R"({"type":"inquiry_response","outcome":"redacted","id":"c.b.1"})", ask("c.c.1", "text"),
       R"({"type":"inquiry_response","outcome":"cancelled","id":"c.c.1","reason":"user"})", ask("c.d.1", "text"), kTurn,
       ask("c.e.1", "boolean"), ask("c.f.1", "text")});
  const std::string markdown = Markdown();
  EXPECT_THAT(markdown,
              AllOf(HasSubstr("Sure?\nAnswer: true\nBy: user bo\n"), HasSubstr("\nAnswer: <redacted>\n"),
                    HasSubstr("\nCancelled (user)\n"), HasSubstr("\nInterrupted\n"), HasSubstr("\nPending\n")));
  EXPECT_EQ(report_.secrets, 0U);
  EXPECT_THAT(Html(), AllOf(HasSubstr("<b>Answer: true</b> by user bo"), HasSubstr("Answer: &lt;redacted&gt;")));
}

// The log refuses such answers by now; older ones have them.
TEST(TurnReader, HidesClearAnswersToQuestionsForSecrets) {
  for (const bool keep : {false, true}) {
    SecretFilter filter = Must(SecretFilter::Make(keep));
    TurnReader reader(filter);
    InquiryRequest request{.id = {.text = "q"}};
    request.question.answer_type.kind = AnswerKind::kSecret;
    const Event asked{.body = request};
    const Event answered{
        .body = InquiryResponse{Outcome::kAnswered, {.text = "q"}, Json::FromTrusted(R"("hunter2")"), {}, {}}};
    reader.Add({}, View(asked));
    reader.Add({}, View(answered));
    const TranscriptTurn turn = reader.Take(true);
    ASSERT_EQ(turn.entries.size(), 1U);
    EXPECT_EQ(turn.entries[0].outcome, keep ? "Answer: \"hunter2\"" : "Answer: <redacted>");
    EXPECT_EQ(filter.found(), keep ? 0U : 1U);
  }
}

TEST_F(TranscriptTest, MarksDenialsRepairsAndRedactions) {
  Append({kTurn, R"({"type":"chat_request","content":"x"})",
          R"({"type":"tool_call_request","id":"a","name":"rm","arguments":{"path":"/"}})",
          R"({"type":"tool_call_response","id":"a","content":"no","is_error":true,"denied":{"reason":"not that"}})",
          R"({"type":"tool_call_request","id":"b","name":"ls","arguments":{}})", kTurn,
          R"({"type":"chat_request","content":"y"})", R"({"type":"chat_response","message":"z"})"});
  Must(Sanitize(*log_, id_));
  const std::string markdown = Markdown();
  EXPECT_THAT(markdown, AllOf(HasSubstr("[DENIED BY USER] rm (call a)\nInput: {\"path\":\"/\"}\nReason: not that\n"),
                              HasSubstr("*(repaired: interrupted-tool-call)*")));
  EXPECT_THAT(Html(), AllOf(HasSubstr("[DENIED BY USER] rm"), HasSubstr("repaired: interrupted-tool-call")));
}

// A rule finds it by its name; without it, only who has read all of the conversation knows it.
TEST_F(TranscriptTest, LeavesOutSecretsWhereTheyAreRepeated) {
  const std::string value = "Tr0ub4dor&3xQ!z", hex = "547230756234646f7226337851217a";
  Append({kTurn, R"({"type":"chat_request","content":"it was )" + value + R"("})",
          R"({"type":"chat_request","content":"password: )" + value + R"("})",
          R"({"type":"chat_response","message":"root/)" + value + R"( works"})",
          R"({"type":"tool_call_request","id":"a","name":"sh","arguments":{"path":"/x/)" + value + R"("}})",
          R"({"type":"tool_call_response","id":"a","content":"in hex )" + hex + R"(","is_error":false})"});
  for (const auto format : {TranscriptFormat::kMarkdown, TranscriptFormat::kHtml, TranscriptFormat::kHandoff}) {
    EXPECT_THAT(Write(format),
                AllOf(Not(HasSubstr("Tr0ub4dor")), Not(HasSubstr(hex)), HasSubstr("works"), HasSubstr("left out: 5.")));
    EXPECT_EQ(report_.secrets, 5U);
    EXPECT_THAT(Write(format, {.keep_secrets = true}), HasSubstr(hex));
  }
}

TEST_F(TranscriptTest, LeavesOutWhatAnEventSaysThatARepairHides) {
  const std::string value = "Tr0ub4dor&3xQ!z";
  Append({kTurn, R"({"type":"chat_request","content":"x"})",
          R"({"type":"tool_call_response","id":"stray","content":"password: )" + value + R"(","is_error":false})",
          R"({"type":"chat_response","message":"root/)" + value + R"("})"});
  Must(Sanitize(*log_, id_));
  EXPECT_THAT(Markdown(), AllOf(Not(HasSubstr(value)), HasSubstr("root/")));
}

// What an answer to a question for a secret says is one, whatever it looks like, and wherever it comes.
TEST_F(TranscriptTest, LeavesOutAnswersToQuestionsInWordsForASecret) {
  Append({kTurn, R"({"type":"chat_request","content":"x"})",
          R"({"type":"inquiry_request","id":"c.a.1","source":{"source":"tool","name":"t"},)"
          R"("question":{"text":"What is your password?","answer_type":{"type":"text"}}})",
          R"({"type":"inquiry_response","outcome":"answered","id":"c.a.1","answer":"blue harbour mist"})",
          R"({"type":"chat_response","message":"typed blue harbour mist"})"});
  EXPECT_THAT(Markdown(), AllOf(Not(HasSubstr("harbour")), HasSubstr("Answer: <redacted>"), HasSubstr("typed ")));
}

TEST_F(TranscriptTest, LeavesPresumedSecretsOutAndCountsThem) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Append({kTurn, R"({"type":"chat_request","content":"use )" + token + R"("})",
          R"({"type":"tool_call_request","id":"a","name":"sh","arguments":{"token":")" + token + R"("}})",
          R"({"type":"tool_call_response","id":"a","content":")" + token + R"(","is_error":false})"});
  for (const auto format : {TranscriptFormat::kMarkdown, TranscriptFormat::kHtml}) {
    EXPECT_THAT(Write(format), AllOf(HasSubstr("redacted"), Not(HasSubstr(token)), HasSubstr("left out: 3.")));
    EXPECT_EQ(report_.secrets, 3U);
    EXPECT_THAT(Write(format, {.keep_secrets = true}), HasSubstr(token));
  }
}

// Puts a text into every field that a document shows.
std::vector<std::string> Hostile(const std::string& text) {
  const std::string json = std::string(JsonString(text).text());
  return {kTurn,
          R"({"type":"chat_request","content":)" + json + R"(,"author":)" + json + "}",
          R"({"type":"chat_response","message":)" + json + "}",
          R"({"type":"chat_response","reasoning":)" + json + "}",
          R"({"type":"chat_response","data":)" + json + "}",
          R"({"type":"tool_call_request","id":"a","name":)" + json + R"(,"arguments":{)" + json + ":" + json + "}}",
          R"({"type":"tool_call_response","id":"a","is_error":true,"content":)" + json + "}",
          R"({"type":"tool_call_request","id":"b","name":)" + json + R"(,"arguments":{}})",
          R"({"type":"tool_call_response","id":"b","is_error":true,"content":"","denied":{"reason":)" + json + "}}",
          R"({"type":"inquiry_request","id":"q","source":{"source":"tool","name":)" + json +
              R"(},"question":{"text":)" + json + R"(,"answer_type":{"type":"select","options":[{"value":)" + json +
              R"(,"description":)" + json + "}]}}}",
          R"({"type":"inquiry_response","outcome":"answered","id":"q","answer":)" + json + R"(,"reason":)" + json +
              R"(,"responder":{"kind":"user","who":)" + json + "}}",
          R"({"type":"compaction","from_turn":0,"to_turn":0,"summary":{"summary":)" + json + "}}"};
}

const std::vector<std::string> kAttacks{"<script>alert(1)</script>",
                                        "</pre></details><img src=x onerror=alert(1)>",
                                        "\" onmouseover=\"alert(1)",
                                        "' autofocus onfocus=alert(1) x='",
                                        "<!-- --!><svg/onload=alert(1)>",
                                        "</title></style><iframe srcdoc='<script>1</script>'>",
                                        "&lt;script&gt;&#60;b&#x3e;",
                                        "[x](javascript:alert(1)) ![](http://x/y) <javascript:alert(1)>",
                                        "```\n</script>\n# heading\n```\n~~~\n<b>",
                                        "\n\n<div>\n\n## Turn 9\n",
                                        "\xe2\x80\xae\x1b[31m\x01 \xe2\x80\xa8<b>"};

TEST_F(TranscriptTest, HostileContentsStayTextInHtml) {
  const std::set<std::string> tags{
      "!",       "html",     "head",  "meta",  "title", "/title", "style",   "/style",   "/head",   "body",
      "h1",      "/h1",      "h2",    "/h2",   "h3",    "/h3",    "section", "/section", "details", "/details",
      "summary", "/summary", "pre",   "/pre",  "div",   "/div",   "p",       "/p",       "b",       "/b",
      "footer",  "/footer",  "/body", "/html", "time",  "/time",  "span",    "/span"};
  for (const std::string& attack : kAttacks) Append(Hostile(attack));
  const std::string html = Html({.keep_secrets = true});
  std::map<std::string, int> balance;
  for (const HtmlTag& tag : HtmlTags(html)) {
    EXPECT_TRUE(tags.contains(tag.name)) << tag.name;
    tag.name.starts_with('/') ? --balance[tag.name.substr(1)] : ++balance[tag.name];
    for (const auto& [name, value] : tag.attributes) {
      EXPECT_TRUE(name == "class" || name == "id" || name == "lang" || tag.name == "meta" || tag.name == "!") << name;
    }
  }
  for (const char* name : {"section", "details", "pre", "p", "b", "div", "h2", "h3", "summary", "title", "style"}) {
    EXPECT_EQ(balance[name], 0) << name;
  }
  EXPECT_THAT(html, AllOf(HasSubstr("default-src 'none'"), Not(HasSubstr("\x1b")), Not(HasSubstr("\xe2\x80\xae"))));
}

// What is not in a fence is a quote or a line of the writer's, without tags, links and images.
TEST_F(TranscriptTest, HostileContentsStayTextInMarkdown) {
  for (const std::string& attack : kAttacks) Append(Hostile(attack));
  const std::string markdown = Markdown({.keep_secrets = true});
  std::string fence;
  std::size_t turns = 0;
  for (std::size_t at = 0; at < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', at), markdown.size());
    const std::string line = markdown.substr(at, end - at);
    at = end + 1;
    if (!fence.empty()) {
      if (line == fence) fence.clear();
      continue;
    }
    if (line.starts_with("```")) {
      fence = line.substr(0, line.find_first_not_of('`'));
      continue;
    }
    EXPECT_THAT(line, Not(HasSubstr("<"))) << line;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '[' && line[i] != ']') continue;
      std::size_t begin = i;
      while (begin > 0 && line[begin - 1] == '\\') --begin;
      EXPECT_EQ((i - begin) % 2, 1U) << line;
    }
    if (line.starts_with("## ")) ++turns;
    const bool own = line.empty() || line.starts_with("> ") || line.starts_with("**") || line.starts_with("#") ||
                     line == "Result:" || line == "Error:" || line == "---" || line.starts_with("Turns: ");
    EXPECT_TRUE(own) << line;
  }
  EXPECT_EQ(fence, "");
  EXPECT_EQ(turns, kAttacks.size());
}

TEST_F(TranscriptTest, SplitsLongConversationsBetweenTurns) {
  for (int i = 0; i < 10; ++i) {
    Append({kTurn, R"({"type":"chat_request","content":")" + std::string(3000, 'x') + R"("})"});
  }
  const auto name = [](std::size_t page) { return fmt::format("p{}.html", page); };
  const std::string all = Html({.page_bytes = 8000, .page_name = name});
  ASSERT_EQ(report_.pages, pages_.size());
  ASSERT_GT(pages_.size(), 2U);
  for (const auto& [page, text] : pages_) {
    EXPECT_THAT(text, testing::StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(text, testing::EndsWith("</html>\n"));
    EXPECT_EQ(text.contains("href=\"./" + name(page - 1)), page > 1);
    EXPECT_EQ(text.contains("href=\"./" + name(page + 1)), page < pages_.size());
  }
  for (int turn = 1; turn <= 10; ++turn) EXPECT_THAT(all, HasSubstr(fmt::format("id=\"turn-{}\"", turn)));
  Html();
  EXPECT_EQ(report_.pages, 1U);
}

TEST_F(TranscriptTest, OfAnUnknownConversationFails) {
  const auto sink = [](std::size_t, std::string_view) { return Status(); };
  const auto none = WriteTranscript(*log_, Must(ConversationId::Parse("none")), TranscriptFormat::kHtml, sink);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace turnlog::transcript_test
