#include "service/named_tokens.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file_system.h"
#include "base/printable.h"
#include "base/try.h"
#include "remote/object_reader.h"
#include "schema/json/json_writer.h"
#include "service/access.h"
#include "service/call.h"
#include "service/digest.h"

namespace turnlog {
namespace {

constexpr std::size_t kTokenBytes = 24;
constexpr std::pair<AccessRight, std::string_view> kRights[] = {{AccessRight::kRead, "read"},
                                                                {AccessRight::kAnswer, "answer"},
                                                                {AccessRight::kAppend, "append"},
                                                                {AccessRight::kMaintain, "maintain"}};

std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

TokensFileState StateOf(const std::filesystem::path& file) {
  struct stat info = {};
  if (::stat(file.c_str(), &info) != 0) return {};
  return {info.st_ino, static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

std::optional<AccessToken> ReadToken(const ObjectReader& object) {
  const auto made = Timestamp::ParseRfc3339(object.Text("made"));
  AccessToken token{.name = object.Text("name"), .rights = {}, .made = made.value_or(Timestamp{})};
  for (const auto& [right, name] : kRights) {
    if (object.Flag(name)) token.rights.insert(right);
  }
  return object.ok() && made ? std::optional(std::move(token)) : std::nullopt;
}

// Nothing if any of it cannot be understood: a list that is changed is written again as a whole.
std::optional<TokensByHash> ParseTokens(std::string_view text) {
  const auto root = ObjectReader::Parse(text);
  if (!root) return std::nullopt;
  TokensByHash tokens;
  for (const ObjectReader& each : root->Objects("tokens")) {
    auto token = ReadToken(each);
    if (!token) return std::nullopt;
    tokens.emplace(each.Text("hash"), *std::move(token));
  }
  return root->ok() ? std::optional(std::move(tokens)) : std::nullopt;
}

std::string ToText(const TokensByHash& tokens) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("tokens"), json.StartArray();
  for (const auto& [hash, token] : tokens) {
    json.StartObject();
    json.Field("name", token.name);
    json.Field("hash", hash);
    json.Field("made", token.made.ToRfc3339());
    for (const auto& [right, name] : kRights) json.Key(name), json.Bool(token.rights.contains(right));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return text + "\n";
}

// Those who change a list do so one after another.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder)
      : number_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (number_ >= 0 && ::flock(number_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (number_ >= 0) ::close(number_);
  }

 private:
  const int number_;  // -1: there is no such folder, which writing the list will say
};

}  // namespace

std::optional<AccessRight> ParseAccessRight(std::string_view name) {
  const auto* const found = std::ranges::find(kRights, name, &std::pair<AccessRight, std::string_view>::second);
  return found == std::end(kRights) ? std::nullopt : std::optional(found->first);
}

std::string_view ToString(AccessRight right) { return kRights[static_cast<std::size_t>(right)].second; }

std::set<AccessRight> AllRights() {
  std::set<AccessRight> all;
  for (const auto& [right, name] : kRights) all.insert(right);
  return all;
}

std::filesystem::path AccessTokensFile(const std::filesystem::path& store) { return store / "service.tokens"; }

Result<TokensByHash> LoadTokens(const std::filesystem::path& file) {
  if (!TURNLOG_TRY(Exists(PosixFileSystem(), file))) return TokensByHash();
  const std::string text = TURNLOG_TRY(ReadFile(PosixFileSystem(), file));
  if (auto tokens = ParseTokens(text)) return *std::move(tokens);
  return Fail(ErrorCode::kCorruption, file.string() + ": not a list of tokens");
}

Result<std::string> AddAccessToken(const std::filesystem::path& file, const std::string& name,
                                   const std::set<AccessRight>& rights) {
  if (name.empty() || Printable(name) != name)
    return Fail(ErrorCode::kInvalidArgument, "the token needs a printable name");
  if (rights.empty()) return Fail(ErrorCode::kInvalidArgument, "the token needs a right");
  const FolderLock lock(file.parent_path());
  TokensByHash tokens = TURNLOG_TRY(LoadTokens(file));
  if (std::ranges::any_of(tokens, [&](const auto& each) { return each.second.name == name; })) {
    return Fail(ErrorCode::kConflict, "there is a token of this name");
  }
  std::string token = RandomHex(kTokenBytes);
  tokens.emplace(Sha256Hex(token), AccessToken{name, rights, TimeNow()});
  TURNLOG_TRY(WriteFile(PosixFileSystem(), file, ToText(tokens)));
  return token;
}

Result<std::vector<AccessToken>> ListAccessTokens(const std::filesystem::path& file) {
  std::vector<AccessToken> all;
  for (auto& [hash, token] : TURNLOG_TRY(LoadTokens(file))) all.push_back(token);
  std::ranges::sort(all, {}, &AccessToken::name);
  return all;
}

Status RemoveAccessToken(const std::filesystem::path& file, std::string_view name) {
  const FolderLock lock(file.parent_path());
  TokensByHash tokens = TURNLOG_TRY(LoadTokens(file));
  if (std::erase_if(tokens, [&](const auto& each) { return each.second.name == name; }) == 0) {
    return Fail(ErrorCode::kNotFound, "there is no token of this name");
  }
  return WriteFile(PosixFileSystem(), file, ToText(tokens));
}

std::optional<AccessToken> NamedTokens::Find(std::string_view token) const { return FindByHash(Sha256Hex(token)); }

std::optional<AccessToken> NamedTokens::FindByHash(const std::string& hash) const {
  if (file_.empty()) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  Reload();
  std::optional<AccessToken> found;
  for (const auto& [accepted, each] : tokens_) {
    if (SameSecret(hash, accepted)) found = each;
  }
  return found;
}

void NamedTokens::Reload() const {
  const TokensFileState now = StateOf(file_);
  if (now == read_) return;
  read_ = now;
  tokens_ = LoadTokens(file_).value_or(TokensByHash());
}

}  // namespace turnlog
