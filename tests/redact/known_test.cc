// Searching files for values that are known to be secrets.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "sanitize/secrets/credential_files.h"
#include "tests/redact/more_encodings.h"
#include "tests/secrets/encodings.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog::known_test {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Credentials(std::string_view text) {
  std::vector<std::string> values;
  for (const SecretString& value : CredentialsIn(text)) values.emplace_back(value.view());
  return values;
}

TEST(CredentialFiles, OfEveryNotation) {
  FakeSecrets fake(1);
  const std::string one = fake.Of(kAlnum, 20), two = fake.Of(kAlnum, 20);
  EXPECT_THAT(Credentials(fmt::format("# A_TOKEN=comment-value\nexport API_TOKEN={}\nDB_PASSWORD='{}'\nPORT=5432109\n",
                                      one, two)),
              UnorderedElementsAre(one, two));
  EXPECT_THAT(Credentials(fmt::format("machine a.example login me password {}\n", one)), UnorderedElementsAre(one));
  EXPECT_THAT(Credentials(fmt::format("https://me:{}@example.com\n", one)), UnorderedElementsAre(one));
  EXPECT_THAT(Credentials(fmt::format("localhost:5432:db:me:{}\n", one)), UnorderedElementsAre(one));
  EXPECT_THAT(Credentials(fmt::format("[default]\nregion = eu-central-1\naws_secret_access_key = {}\n", one)),
              UnorderedElementsAre(one));
  EXPECT_THAT(Credentials(fmt::format("{{\"auths\":{{\"r\":{{\n\"auth\": \"{}\"}}}}}}\n", one)),
              UnorderedElementsAre(one));
  const std::string pair = EncodeBase64("me:" + two);
  EXPECT_THAT(Credentials(fmt::format("\"auth\": \"{}\"\n", pair)), UnorderedElementsAre(pair, two))
      << "also the password in it";
  EXPECT_THAT(Credentials(fmt::format("  user:\n    client-key-data: {}\n", one)), UnorderedElementsAre(one));
  EXPECT_THAT(Credentials(fmt::format("<id>x</id><password>{}</password>\n", one)), UnorderedElementsAre(one));
  EXPECT_THAT(Credentials(fmt::format("github.com:\n    oauth_token: {}\n    user: someone\n", one)),
              UnorderedElementsAre(one));
  EXPECT_THAT(Credentials(fmt::format("//registry.npmjs.org/:_authToken={}\n", one)), UnorderedElementsAre(one));
  EXPECT_THAT(Credentials("password=changeme\ntoken=abc\n"), IsEmpty()) << "too common, too short";
}

TEST(CredentialFiles, OfAHome) {
  const TempDir home;
  const std::string one = FakeSecrets(1).Of(kAlnum, 20), two = FakeSecrets(2).Of(kAlnum, 20);
  fs::create_directories(home / ".cache/huggingface");
  std::ofstream(home / ".cache/huggingface/token") << one << "\n";
  std::ofstream(home / ".netrc") << "default password " << two << "\n";
  std::vector<std::string> values;
  Must(ForEachKnownCredential(home.path(), [&](std::string_view value) { values.emplace_back(value); }));
  EXPECT_THAT(values, UnorderedElementsAre(one, two));
  values.clear();
  Must(ForEachKnownCredential(home / "empty", [&](std::string_view value) { values.emplace_back(value); }));
  EXPECT_THAT(values, IsEmpty());
}

TEST(ScanForValues, FindsThemInEveryEncodingAndNothingElse) {
  const TempDir folder;
  const std::string value = FakeSecrets(3).Of(kAlnum, 24);
  const std::vector<NamedEncoding> encodings = PromisedEncodings();
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    std::ofstream(folder / fmt::format("{:02}", i)) << "a line\n{ " << encodings[i].encode(value) << " }\n";
  }
  std::ofstream(folder / "other") << "gh" << "p_" << FakeSecrets(4).Of(kAlnum, 36) << "\n";
  SecretScanOptions options;
  options.values = {value};
  const auto report = Must(ScanForSecrets(std::vector{folder.path()}, options));
  ASSERT_THAT(report.secrets, SizeIs(encodings.size()));
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    EXPECT_EQ(report.secrets[i].rule, "known-value");
    EXPECT_GE(report.secrets[i].line, 2U) << encodings[i].name;
  }
}

}  // namespace
}  // namespace turnlog::known_test
