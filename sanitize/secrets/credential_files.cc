#include "sanitize/secrets/credential_files.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/base64.h"
#include "base/file_system.h"
#include "base/try.h"
#include "sanitize/secrets/secret_checks.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_regex.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 26> kFiles{".env",
                                                  ".netrc",
                                                  ".pgpass",
                                                  ".my.cnf",
                                                  ".git-credentials",
                                                  ".config/git/credentials",
                                                  ".config/gh/hosts.yml",
                                                  ".config/glab-cli/config.yml",
                                                  ".aws/credentials",
                                                  ".kube/config",
                                                  ".config/gcloud/application_default_credentials.json",
                                                  ".azure/msal_token_cache.json",
                                                  ".config/doctl/config.yaml",
                                                  ".terraform.d/credentials.tfrc.json",
                                                  ".docker/config.json",
                                                  ".config/containers/auth.json",
                                                  ".npmrc",
                                                  ".yarnrc.yml",
                                                  ".pypirc",
                                                  ".config/pip/pip.conf",
                                                  ".m2/settings.xml",
                                                  ".cargo/credentials.toml",
                                                  ".gem/credentials",
                                                  ".composer/auth.json",
                                                  ".vault-token",
                                                  ".cache/huggingface/token"};

// Each has one group, the value.
const std::array<const RE2*, 5>& Expressions() {
  // NAME=value, name: value, "name": "value", also with `export` and in quotes
  static const RE2 named(
      R"((?im)^[^#\n]*?[a-z0-9_.\-/:]*(?:token|secret|passw(?:or)?d|passphrase|key|auth|credential)[a-z0-9_\-]*["']?\s*[:=]\s*["']?([^\s"',]{6,}))",
      SecretRegexOptions());
  static const RE2 netrc(R"((?i)\bpassword[ \t]+(\S+))", SecretRegexOptions());
  static const RE2 url(R"([a-z][a-z0-9+.\-]*://[^/\s:@]*:([^/\s@]+)@)", SecretRegexOptions());
  static const RE2 pgpass(R"((?m)^[^#:\n]+:[^:\n]+:[^:\n]+:[^:\n]+:([^\n]+)$)", SecretRegexOptions());
  static const RE2 element(R"((?i)<(?:password|passphrase|token|secret)>\s*([^<\s]+)\s*<)", SecretRegexOptions());
  static const std::array<const RE2*, 5> all{&named, &netrc, &url, &pgpass, &element};
  return all;
}

void AddValue(std::string_view value, std::vector<SecretString>& values) {
  const auto same = [&](const SecretString& known) { return known.view() == value; };
  if (!WhyNotSearchable(value) && std::ranges::none_of(values, same)) values.emplace_back(value);
}

// Registries keep a name, a colon and the password in base64.
void AddPasswordOf(std::string_view value, std::vector<SecretString>& values) {
  if (!IsBasicAuth(value)) return;
  auto pair = DecodeBase64(value);
  if (!pair) return;
  AddValue(std::string_view(*pair).substr(pair->find(':') + 1), values);
  Wipe(*pair);
}

}  // namespace

std::vector<SecretString> CredentialsIn(std::string_view text) {
  std::vector<SecretString> values;
  for (const RE2* expression : Expressions()) {
    re2::StringPiece rest(text.data(), text.size()), value;
    while (RE2::FindAndConsume(&rest, *expression, &value)) {
      AddValue({value.data(), value.size()}, values);
      AddPasswordOf({value.data(), value.size()}, values);
    }
  }
  return values;
}

Result<std::vector<SecretString>> KnownCredentials(const std::filesystem::path& home) {
  std::vector<SecretString> values;
  for (const std::string_view name : kFiles) {
    const std::filesystem::path path = home / name;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    std::string text = TURNLOG_TRY(ReadInput(path));
    // A file without names is one token.
    const std::string_view all(text);
    if (name.ends_with("token")) AddValue(all.substr(0, all.find_last_not_of(" \r\n") + 1), values);
    for (const SecretString& value : CredentialsIn(all)) AddValue(value.view(), values);
    Wipe(text);
  }
  return values;
}

}  // namespace turnlog
