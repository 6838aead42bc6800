// Searching files for values that are known to be secrets.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "sanitize/secrets/credential_text.h"
#include "tests/redact/more_encodings.h"
#include "tests/secrets/encodings.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog::known_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

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

// In pieces, so that scanners do not report this file as a leak.
std::string KeyBlock(FakeSecrets& fake, std::string_view line_break) {
  std::string block = "-----BEGIN ";
  block += "PRIVATE KEY-----";
  for (int i = 0; i < 5; ++i) block.append(line_break).append(fake.Of(kBase64, 64));
  return block.append(line_break).append("-----END PRIVATE KEY-----");
}

TEST(CredentialFiles, ValuesAreWhole) {
  FakeSecrets fake(2);
  const std::string one = fake.Of(kAlnum, 9) + " " + fake.Of(kAlnum, 9), two = fake.Of(kAlnum, 12);
  EXPECT_THAT(Credentials(fmt::format("DB_PASSWORD=\"{}\"\nTOKEN='{}'\n", one, two)), UnorderedElementsAre(one, two));
  EXPECT_THAT(Credentials(fmt::format("machine a login me password \"{}\"\n", two)), UnorderedElementsAre(two));
  EXPECT_THAT(Credentials(fmt::format(R"({{"tokens":{{"id_token":"{}","access_token":"{}"}}}})", one, two)),
              UnorderedElementsAre(one, two))
      << "several on a line";
  EXPECT_THAT(Credentials(fmt::format(R"({{"github-oauth": {{"github.com": "{}"}}}})", two)),
              UnorderedElementsAre(two));
}

TEST(CredentialFiles, ValuesAreDecoded) {
  FakeSecrets fake(3);
  const std::string one = fake.Of(kAlnum, 12), two = fake.Of(kAlnum, 12);
  const std::string in_base64 = EncodeBase64(one + two);
  EXPECT_THAT(Credentials(fmt::format("//r.example/:_password={}\n", in_base64)),
              UnorderedElementsAre(in_base64, one + two));
  EXPECT_THAT(Credentials(fmt::format("https://me:{}%40{}@example.com\n", one, two)),
              UnorderedElementsAre(one + "%40" + two, one + "@" + two));
  EXPECT_THAT(Credentials(fmt::format(R"({{"secret": "{}\u003d{}"}})", one, two)),
              UnorderedElementsAre(one + R"(\u003d)" + two, one + "=" + two));
}

TEST(CredentialFiles, PrivateKeysAreWhole) {
  FakeSecrets lines(4), escaped(4), encoded(4);
  const std::string key = KeyBlock(lines, "\n");
  EXPECT_THAT(Credentials("SIGNING_KEY=\"" + key + "\"\n"), ElementsAre(key));
  EXPECT_THAT(Credentials("{\"private_key\": \"" + KeyBlock(escaped, "\\n") + "\\n\"}"), ElementsAre(key));
  const std::string in_base64 = EncodeBase64(KeyBlock(encoded, "\n"));
  EXPECT_THAT(Credentials("    client-key-data: " + in_base64 + "\n"), UnorderedElementsAre(in_base64, key));
}

// A search for one of these would find it in any text.
TEST(CredentialFiles, WhatIsNoSecretIsLeftOut) {
  for (const char* text :
       {"AUTH_PROVIDER=google", "AUTHOR_NAME=somebody", "KEYBOARD_LAYOUT=german", "TOKENIZERS_PARALLELISM=enabled",
        "TOKEN_FILE=/run/secrets/token", "tokenFile: /var/run/secrets/token", "API_KEY=${OTHER_KEY}",
        "API_KEY=$OTHER_KEY", "API_KEY=<your-key>", "api_key: your-api-key", "auth-provider:\n  config:\n    x: y",
        "auth:\n  provider", "SECRET_STORE=vault-prod", "password: /etc/keys/db",
        "# machine a login me password letitbe1", "{\"credHelpers\": {\"gcr.io\": \"gcloud\"}}",
        "{\"keys\": \"https://keys.example/v1\"}",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----"}) {
    EXPECT_THAT(Credentials(text), IsEmpty()) << text;
  }
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
  const std::vector<std::string> files{
      ".env.local",       ".aws/sso/cache/0123.json",  ".config/gcloud/legacy_credentials/me/adc.json",
      ".codex/auth.json", ".claude/.credentials.json", ".local/share/opencode/auth.json"};
  FakeSecrets fake(5);
  std::vector<std::string> expected{one, two};
  for (const std::string& file : files) {
    fs::create_directories((home / file).parent_path());
    expected.push_back(fake.Of(kAlnum, 30));
    std::ofstream(home / file) << "{\"access_token\": \"" << expected.back() << "\"}\n";
  }
  fs::create_directories(home / ".ssh");
  expected.push_back(KeyBlock(fake, "\n"));
  std::ofstream(home / ".ssh/id_works") << expected.back() << "\n";
  std::ofstream(home / ".ssh/config") << "PasswordAuthentication=no-passwords\n";
  Must(ForEachKnownCredential(home.path(), [&](std::string_view value) { values.emplace_back(value); }));
  EXPECT_THAT(values, UnorderedElementsAreArray(expected));
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
