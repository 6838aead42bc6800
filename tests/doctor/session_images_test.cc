// Images: which a provider refuses depends on the model that a session goes on with, and on what is still sent.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/base64.h"
#include "schema/json/json_tree.h"
#include "tests/doctor/database_fixture.h"
#include "tests/doctor/expected_findings.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::session_images_test {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// The header of a PNG.
std::string Png(std::uint32_t width, std::uint32_t height) {
  std::string bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  for (const std::uint32_t side : {width, height}) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(side >> shift & 0xff);
  }
  std::string base64;
  AppendBase64(bytes + std::string("\x08\x02\0\0\0\0\0\0\0", 9), base64);
  return base64;
}

std::string File(const std::string& mime, const std::string& base64) {
  return fmt::format(R"({{"type":"file","mime":"{0}","url":"data:{0};base64,{1}"}})", mime, base64);
}

class OpencodeImagesTest : public DatabaseTest {
 protected:
  OpencodeImagesTest() { Execute(path_, "DELETE FROM message; DELETE FROM part"); }

  void AddMessage(const std::string& data) {
    Execute(path_, fmt::format("INSERT INTO message VALUES('msg_{:03}','ses_sound',1,1,'{}')", ++messages_, data));
  }
  void AddPart(const std::string& data) {
    Execute(path_, fmt::format("INSERT INTO part VALUES('prt_{:03}{:03}','msg_{:03}','ses_sound',1,1,'{}')", messages_,
                               ++parts_, messages_, data));
  }
  void AddPrompt(const std::string& provider, const std::string& model) {
    AddMessage(fmt::format(R"({{"role":"user","time":{{"created":1}},"model":{{"providerID":"{}","modelID":"{}"}}}})",
                           provider, model));
  }
  std::vector<SessionFinding> Findings() const {
    for (SessionReport& session : Run(path_, {}).sessions) {
      if (session.session == "ses_sound") return std::move(session.findings);
    }
    return {};
  }

  const fs::path path_ = Make("opencode");
  int messages_ = 0, parts_ = 0;
};

TEST_F(OpencodeImagesTest, AreJudgedByTheLastModel) {
  AddPrompt("anthropic", "claude-opus-4-5");
  AddPart(File("image/png", Png(9000, 10)));
  EXPECT_THAT(Findings(), testing::ElementsAre(Field(&SessionFinding::rule, "image-pixels")));
  AddPrompt("openai", "gpt-5");
  EXPECT_THAT(Findings(), IsEmpty());
  AddPrompt("openrouter", "anthropic/claude-opus-4-5");
  EXPECT_THAT(Findings(), SizeIs(1));
}

TEST_F(OpencodeImagesTest, OfAnUnknownProviderAreRefusedOnlyIfTheyAreNone) {
  AddPrompt("mine", "local");
  AddPart(File("image/png", Png(9000, 10)));
  AddPart(File("image/webp", Png(10, 10)));
  AddPart(R"({"type":"file","mime":"image/png","url":"file:///home/u/a.png"})");
  AddPart(File("image/bmp", "Qk0gaW1hZ2U="));
  EXPECT_THAT(Findings(), IsEmpty());
  AddPart(File("image/png", "bm8gaW1hZ2U="));
  EXPECT_THAT(Findings(), testing::ElementsAre(Field(&SessionFinding::rule, "image-encoding")));
}

TEST_F(OpencodeImagesTest, BeforeASummaryAreNotCounted) {
  AddPrompt("anthropic", "claude-opus-4-5");
  for (int i = 0; i < 21; ++i) AddPart(File("image/png", Png(2500, 10)));
  EXPECT_THAT(Findings(), SizeIs(21));
  EXPECT_THAT(Findings(), Each(Field(&SessionFinding::rule, "many-images-pixels")));
  AddMessage(R"({"role":"assistant","summary":true,"time":{"created":1}})");
  EXPECT_THAT(Findings(), IsEmpty());
}

// Also several of the same call.
TEST_F(OpencodeImagesTest, OfToolsAreRemoved) {
  AddPrompt("anthropic", "claude-opus-4-5");
  const std::string bad = File("image/png", "bm8gaW1hZ2U="), good = File("image/png", Png(10, 10));
  for (const std::string& files :
       {bad, bad + "," + good, good + "," + bad, bad + "," + bad + "," + good + "," + bad, bad + ", " + bad}) {
    AddPart(fmt::format(R"({{"type":"tool","callID":"c","tool":"read","state":{{"status":"completed","input":{{}},)"
                        R"("output":"x","attachments":[{}]}}}})",
                        files));
  }
  (void)Run(path_, {.action = DoctorAction::kReplace});
  EXPECT_THAT(Findings(), IsEmpty());
  const std::string attachments = "SELECT json_extract(data,'$.state.attachments') FROM part ORDER BY id";
  EXPECT_THAT(Texts(path_, attachments),
              testing::ElementsAre("[]", "[" + good + "]", "[" + good + "]", "[" + good + "]", "[]"));
}

// In an exported document: all that is sent, as the blocks that its provider gets.
TEST(OpencodeExportImagesTest, AreAcceptedByTheProvider) {
  TempDir folder;
  const SessionReport report = Examine(DamagedSessions() / "opencode/refused-images.json",
                                       {.action = DoctorAction::kCopy, .out = folder.path()});
  const std::string text = TextOf(report.written);
  EXPECT_THAT(text, Not(HasSubstr("image/jpeg")));
  const JsonView json = JsonView::FromTrusted(text);
  std::string blocks;
  const auto add = [&](const JsonNode& file) {
    const std::string url = file.Find("url")->string;
    blocks += fmt::format(R"({{"type":"image","source":{{"type":"base64","media_type":{},"data":"{}"}}}},)",
                          file.Find("mime")->text, url.substr(url.find(',') + 1));
  };
  const JsonNode document = ParseTree(json);
  for (const JsonNode& message : document.Find("messages")->elements) {
    for (const JsonNode& part : message.Find("parts")->elements) {
      EXPECT_EQ(part.Find("messageID")->string, message.Find("info")->Find("id")->string);
      if (part.Find("type")->string == "file") add(part);
      const JsonNode* const state = part.Find("state");
      const JsonNode* const attachments = state == nullptr ? nullptr : state->Find("attachments");
      if (attachments != nullptr) std::ranges::for_each(attachments->elements, add);
    }
  }
  const std::string request = fmt::format(
      R"({{"max_tokens":1,"messages":[{{"role":"user","content":[{}{{"type":"text","text":"Look"}}]}}]}})", blocks);
  EXPECT_THAT(Must(LintRequest(Provider::kAnthropic, request)), IsEmpty()) << request;
}

}  // namespace
}  // namespace turnlog::session_images_test
