#include "turnlog/redaction/secret_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "schema/json/json_pointers.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/secrets/planted_secrets.h"
#include "tests/support/temp_dir.h"

namespace turnlog::secret_scan_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

std::string Token(std::uint32_t seed) { return "ghp_" + FakeSecrets(seed).Of(kAlnum, 36); }

class SecretScanTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, std::string_view text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  SecretScanReport ScanAll(const SecretScanOptions& options = {}) { return Scan({folder_.path()}, options); }
  static SecretScanReport Scan(const std::vector<std::filesystem::path>& paths, const SecretScanOptions& options = {}) {
    auto report = ScanForSecrets(paths, options);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(SecretScanReport{});
  }

  TempDir folder_;
};

TEST_F(SecretScanTest, NamesFileLineAndRule) {
  const auto path = Write("notes.txt", "first\nsecond " + Token(1) + " end\nthird\n" + Token(2));
  const SecretScanReport report = ScanAll();
  ASSERT_EQ(report.secrets.size(), 2U);
  EXPECT_EQ(report.secrets[0].file, path.string());
  EXPECT_EQ(report.secrets[0].line, 2U);
  EXPECT_EQ(report.secrets[0].offset, 13U);
  EXPECT_EQ(report.secrets[0].length, 40U);
  EXPECT_EQ(report.secrets[0].rule, "github-token");
  EXPECT_EQ(report.secrets[0].pointer, std::nullopt);
  EXPECT_EQ(report.secrets[1].line, 4U);
  EXPECT_EQ(report.files, 1U);
  EXPECT_EQ(report.bytes, std::filesystem::file_size(path));
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST_F(SecretScanTest, ReportsTheJsonPointerInJsonAndInJsonLines) {
  Write("a.json", "{\n  \"keep\": 1,\n  \"list\": [\"x\", {\"a/b\": \"" + Token(1) + "\"}]\n}\n");
  Write("b.jsonl", "{\"x\":1}\n{\"content\":\"" + Token(2) + "\"}\nnot json " + Token(3) + "\n[\"" + Token(4) + "\"]");
  Write("c.json", "\"" + Token(5) + "\"");
  Write("d.json", "{\"" + Token(6) + "\": {\"deep\": \"" + Token(7) + "\"}}");
  std::vector<std::pair<std::uint64_t, std::optional<std::string>>> found;
  for (const SecretLocation& location : ScanAll().secrets) found.emplace_back(location.line, location.pointer);
  using Found = std::pair<std::uint64_t, std::optional<std::string>>;
  EXPECT_THAT(found, ElementsAre(Found(3, "/list/1/a~1b"), Found(2, "/content"), Found(3, std::nullopt), Found(4, "/0"),
                                 Found(1, ""), Found(1, ""), Found(1, std::nullopt)));
}

TEST_F(SecretScanTest, GoesThroughFoldersInOrderAndFollowsNoLinks) {
  Write("b/two", Token(1));
  Write("a/.hidden/one", Token(2));
  Write("empty", "");
  Write("outside", Token(3));
  std::filesystem::create_symlink(folder_ / "outside", folder_ / "a/link");
  std::filesystem::create_directory_symlink(folder_ / "b", folder_ / "a/folder_link");
  ASSERT_EQ(::mkfifo((folder_ / "a/pipe").c_str(), 0600), 0);
  const SecretScanReport report = Scan({folder_ / "a", folder_ / "b", folder_ / "empty"});
  ASSERT_EQ(report.secrets.size(), 2U);
  EXPECT_THAT(report.secrets[0].file, HasSubstr("one"));
  EXPECT_THAT(report.secrets[1].file, HasSubstr("two"));
  EXPECT_EQ(report.files, 3U);
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST_F(SecretScanTest, UnreadableFilesAreNamedAndTheRestIsScanned) {
  Write("good", Token(1));
  std::filesystem::create_symlink(folder_ / "good", folder_ / "link");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const SecretScanReport report = Scan({folder_ / "missing", folder_ / "link", folder_ / "pipe", folder_ / "good"});
  EXPECT_EQ(report.secrets.size(), 1U);
  ASSERT_EQ(report.problems.size(), 3U);
  EXPECT_EQ(report.problems[0].file, (folder_ / "missing").string());
  EXPECT_EQ(report.problems[1].file, (folder_ / "link").string());
  EXPECT_EQ(report.problems[2].file, (folder_ / "pipe").string());
}

TEST_F(SecretScanTest, AFileWithoutPermissionIsAProblem) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const auto path = Write("locked", Token(1));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const SecretScanReport report = ScanAll();
  EXPECT_EQ(report.files, 0U);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_EQ(report.problems[0].file, path.string());
}

// Across every border of a block, with text around it.
TEST_F(SecretScanTest, FindsSecretsAtTheBordersOfBlocksOnce) {
  constexpr std::size_t kBlock = std::size_t{4} << 20;
  for (std::size_t shift = 0; shift < 60; shift += 7) {
    std::string text(3 * kBlock, ' ');
    for (std::size_t i = 0; i < text.size(); i += 100) text[i] = '\n';
    std::vector<std::uint64_t> offsets;
    for (const std::size_t border : {kBlock, 2 * kBlock}) {
      offsets.push_back(border - shift);
      text.replace(border - shift, 40, Token(static_cast<std::uint32_t>(shift)));
    }
    Write("large", text);
    const SecretScanReport report = ScanAll({.jobs = 3});
    ASSERT_EQ(report.secrets.size(), 2U) << shift;
    for (std::size_t i = 0; i < 2; ++i) {
      const SecretLocation& location = report.secrets[i];
      EXPECT_EQ(location.offset, offsets[i]);
      EXPECT_EQ(location.length, 40U);
      EXPECT_EQ(location.line, 1 + std::ranges::count(text.substr(0, offsets[i]), '\n'));
    }
  }
}

TEST_F(SecretScanTest, FindsKeysThatLieAcrossABorderAsOne) {
  constexpr std::size_t kBlock = std::size_t{4} << 20;
  std::string key;
  for (const PlantedSecret& planted : PlantedSecrets(1)) {
    if (planted.rule == "private-key") key = planted.secret;
  }
  const std::string text = std::string(kBlock - key.size() / 2, '\n') + key + std::string(kBlock, '\n');
  Write("large", text);
  const SecretScanReport report = ScanAll();
  ASSERT_EQ(report.secrets.size(), 1U);
  EXPECT_EQ(report.secrets[0].offset, kBlock - key.size() / 2);
  EXPECT_EQ(report.secrets[0].length, key.size());
  EXPECT_EQ(report.secrets[0].line, kBlock - key.size() / 2 + 1);
}

TEST_F(SecretScanTest, AnyNumberOfThreadsFindsTheSame) {
  for (std::uint32_t i = 0; i < 100; ++i)
    Write("f" + std::to_string(i), std::string(i * 1000, 'x') + " " + Token(i) + "\n" + Token(1000 + i));
  const auto locations = [&](unsigned jobs) {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (const SecretLocation& location : ScanAll({.jobs = jobs}).secrets)
      all.emplace_back(location.file, location.offset);
    return all;
  };
  const auto one = locations(1);
  EXPECT_EQ(one.size(), 200U);
  EXPECT_EQ(locations(4), one);
  EXPECT_EQ(locations(0), one);
}

TEST_F(SecretScanTest, ReportsProgress) {
  Write("a", std::string(1000, 'a'));
  Write("b", std::string(2000, 'b'));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> calls;
  ScanAll({.jobs = 1, .progress = [&](std::uint64_t done, std::uint64_t total) { calls.emplace_back(done, total); }});
  EXPECT_THAT(calls, ElementsAre(std::pair(1000, 3000), std::pair(3000, 3000)));
}

TEST_F(SecretScanTest, RulesComeFromAFile) {
  const auto rules = Write("rules.json", R"({"version":1,"rules":[
    {"id":"badge","description":"d","regex":"badge:([0-9]{6})\\b","keywords":["badge:"]}]
})");
  const auto text = Write("text", "badge:271828 " + Token(1));
  EXPECT_EQ(Scan({text}).secrets.size(), 1U);
  const SecretScanReport report = Scan({text}, {.rules = rules});
  ASSERT_EQ(report.secrets.size(), 2U);
  EXPECT_EQ(report.secrets[0].rule, "badge");

  Write("rules.json", "{\"version\":1,\n\"rules\":7}");
  const auto broken = ScanForSecrets({}, {.rules = rules});
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr(rules.string() + ", line 2"));
  EXPECT_FALSE(ScanForSecrets({}, {.rules = folder_ / "none.json"}));
}

TEST(JsonPointers, NameTheInnermostValue) {
  const std::string json = R"( {"a": [10, {"b~/c": "text"}], "d": {}} )";
  const auto at = [&](std::string_view piece) { return json.find(piece); };
  const std::vector<std::size_t> offsets = {0,          at("\"a\""), at("10"), at("10") + 1,   at("\"b~"),
                                            at("text"), at("\"d"),   at("{}"), json.size() - 1};
  EXPECT_THAT(JsonPointers(json, offsets),
              Optional(ElementsAre("", "", "/a/0", "/a/0", "/a/1", "/a/1/b~0~1c", "", "/d", "")));
  EXPECT_EQ(JsonPointers("{", offsets), std::nullopt);
  EXPECT_THAT(JsonPointers("7", {}), Optional(IsEmpty()));
}

}  // namespace
}  // namespace turnlog::secret_scan_test
