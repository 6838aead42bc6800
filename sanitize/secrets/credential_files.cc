#include "sanitize/secrets/credential_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "sanitize/secrets/credential_text.h"
#include "sanitize/secrets/secret_matcher.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 36> kFiles{".env",
                                                  ".env.local",
                                                  ".envrc",
                                                  ".netrc",
                                                  ".pgpass",
                                                  ".my.cnf",
                                                  ".git-credentials",
                                                  ".config/git/credentials",
                                                  ".config/gh/hosts.yml",
                                                  ".config/glab-cli/config.yml",
                                                  ".config/hub",
                                                  ".aws/credentials",
                                                  ".kube/config",
                                                  ".config/gcloud/application_default_credentials.json",
                                                  ".azure/msal_token_cache.json",
                                                  ".config/doctl/config.yaml",
                                                  ".terraform.d/credentials.tfrc.json",
                                                  ".databrickscfg",
                                                  ".docker/config.json",
                                                  ".config/containers/auth.json",
                                                  ".npmrc",
                                                  ".yarnrc.yml",
                                                  ".pypirc",
                                                  ".config/pip/pip.conf",
                                                  ".m2/settings.xml",
                                                  ".cargo/credentials.toml",
                                                  ".cargo/credentials",
                                                  ".gem/credentials",
                                                  ".composer/auth.json",
                                                  ".vault-token",
                                                  ".cache/huggingface/token",
                                                  ".claude/.credentials.json",
                                                  ".codex/auth.json",
                                                  ".gemini/oauth_creds.json",
                                                  ".local/share/opencode/auth.json",
                                                  ".config/github-copilot/apps.json"};

// Folders whose files have names that are not known; `file`: in each of their folders this one.
struct CredentialFolder {
  std::string_view path, file;
};
constexpr std::array<CredentialFolder, 3> kFolders{
    {{".aws/sso/cache", ""}, {".aws/cli/cache", ""}, {".config/gcloud/legacy_credentials", "adc.json"}}};
constexpr std::string_view kKeyFolder = ".ssh";

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The files of a folder, in order; none if it cannot be listed.
std::vector<fs::path> FilesOf(const fs::path& folder, std::string_view file = {}) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path path = file.empty() ? entry->path() : entry->path() / file;
    if (IsFile(path)) files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

class Reader {
 public:
  using Find = std::vector<SecretString> (*)(std::string_view text);

  Status Read(const fs::path& path, Find find) {
    std::string text = TURNLOG_TRY(ReadInput(path));
    // A file without names is one token.
    const std::string_view all(text);
    if (path.native().ends_with("token")) Add(SecretString(all.substr(0, all.find_last_not_of(" \r\n") + 1)));
    for (SecretString& value : find(all)) Add(std::move(value));
    Wipe(text);
    return {};
  }

  std::vector<SecretString> Take() { return std::move(values_); }

 private:
  void Add(SecretString value) {
    if (!WhyNotSearchable(value.view()) && std::ranges::find(values_, value) == values_.end())
      values_.push_back(std::move(value));
  }

  std::vector<SecretString> values_;
};

}  // namespace

Result<std::vector<SecretString>> KnownCredentials(const fs::path& home) {
  Reader reader;
  for (const std::string_view name : kFiles) {
    if (IsFile(home / name)) TURNLOG_TRY(reader.Read(home / name, CredentialsIn));
  }
  for (const auto& [folder, file] : kFolders) {
    for (const fs::path& path : FilesOf(home / folder, file)) TURNLOG_TRY(reader.Read(path, CredentialsIn));
  }
  for (const fs::path& path : FilesOf(home / kKeyFolder)) TURNLOG_TRY(reader.Read(path, PrivateKeysIn));
  return reader.Take();
}

}  // namespace turnlog
