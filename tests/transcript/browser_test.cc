// A real browser shows the HTML of hostile conversations, and runs nothing that is in them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/support/must.h"
#include "tests/support/temp_dir.h"
#include "turnlog/event_json.h"
#include "turnlog/segment_log.h"
#include "turnlog/transcript/transcript.h"

namespace turnlog::browser_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTurn = R"({"type":"turn_start"})";
// Leaves a trace in the document, whichever way it is run.
constexpr const char* kScript = "document.documentElement.setAttribute(&quot;owned&quot;,1)";

std::optional<std::string> FindBrowser() {
  for (const char* const path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return std::nullopt;
}

class BrowserTest : public ::testing::Test {
 protected:
  // The document after its scripts have run.
  std::string Dom(const std::string& browser, const std::string& html) {
    const std::filesystem::path page = dir_ / "page.html";
    std::ofstream(page, std::ios::binary) << html;
    const std::string command = fmt::format(
        "{} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir={} --dump-dom file://{} 2>{}",
        browser, (dir_ / "profile").string(), page.string(), (dir_ / "messages").string());
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::string dom;
    std::array<char, 4096> buffer{};
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) dom.append(buffer.data(), size);
    EXPECT_EQ(::pclose(pipe), 0);
    return dom;
  }

  std::string Html(const std::vector<std::string>& lines) {
    const auto log = Must(OpenSegmentLog(dir_ / "store"));
    const ConversationId id = Must(ConversationId::Parse("<script>" + Plain() + "</script>"));
    for (const std::string& line : lines) {
      Must(log->Append(id, Must(ParseEvent(line)), {.durability = Durability::kBuffered}));
    }
    std::string html;
    const auto sink = [&](std::size_t, std::string_view piece) { return html += piece, Status(); };
    Must(WriteTranscript(*log, id, TranscriptFormat::kHtml, sink, {.keep_secrets = true}));
    return html;
  }

  static std::string Plain() { return "document.documentElement.setAttribute('owned',1)"; }

  TempDir dir_;
};

std::vector<std::string> Attacks() {
  const std::string script = "document.documentElement.setAttribute('owned',1)";
  return {"<script>" + script + "</script>",
          "</pre></details></section><script>" + script + "</script>",
          "</title></style><script>" + script + "</script>",
          fmt::format("<img src=x onerror=\"{}\">", kScript),
          fmt::format("\" autofocus onfocus=\"{}\" x=\"", kScript),
          fmt::format("' onmouseover='{}' x='", kScript),
          fmt::format("<svg onload=\"{}\"></svg>", kScript),
          fmt::format("<details open ontoggle=\"{}\">", kScript),
          fmt::format("<iframe srcdoc=\"<script>top.{}</script>\"></iframe>", kScript),
          "<meta http-equiv=refresh content=\"0;url=javascript:" + script + "\">",
          "<!--><script>" + script + "</script>-->",
          "&lt;script&gt;" + script + "&lt;/script&gt;"};
}

// Puts a text into every field that a document shows.
std::vector<std::string> Everywhere(const std::string& text) {
  const std::string json(JsonString(text).text());
  return {
      kTurn,
      R"({"type":"chat_request","content":)" + json + R"(,"author":)" + json + "}",
      R"({"type":"chat_response","message":)" + json + "}",
      R"({"type":"chat_response","reasoning":)" + json + "}",
      R"({"type":"tool_call_request","id":"a","name":)" + json + R"(,"arguments":{)" + json + ":" + json + "}}",
      R"({"type":"tool_call_response","id":"a","is_error":true,"content":)" + json + "}",
      R"({"type":"inquiry_request","id":"q","source":{"source":"tool","name":)" + json + R"(},"question":{"text":)" +
          json + R"(,"answer_type":{"type":"select","options":[{"value":)" + json + R"(,"description":)" + json +
          "}]}}}",
      R"({"type":"inquiry_response","outcome":"answered","id":"q","answer":)" + json + R"(,"reason":)" + json + "}"};
}

TEST_F(BrowserTest, RunsNothingOfHostileContents) {
  const auto browser = FindBrowser();
  if (!browser) GTEST_SKIP() << "no Chromium; on Debian: apt-get install chromium";
  const std::string control = Dom(*browser, "<!DOCTYPE html><body><script>" + Plain() + "</script>control</body>");
  if (!control.contains("control")) GTEST_SKIP() << "the browser does not start here";
  ASSERT_THAT(control, HasSubstr("owned=\"1\"")) << "this browser runs scripts";
  std::vector<std::string> lines;
  for (const std::string& attack : Attacks()) {
    for (std::string& line : Everywhere(attack)) lines.push_back(std::move(line));
  }
  const std::string dom = Dom(*browser, Html(lines));
  EXPECT_THAT(dom, HasSubstr("Turn 12")) << "all is shown";
  EXPECT_THAT(dom, Not(HasSubstr("owned=\"1\"")));
  for (const char* const tag : {"<script", "<img", "<svg", "<iframe"}) EXPECT_THAT(dom, Not(HasSubstr(tag)));
}

}  // namespace
}  // namespace turnlog::browser_test
