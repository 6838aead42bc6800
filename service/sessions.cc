#include "service/sessions.h"

#include <algorithm>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "remote/object_reader.h"
#include "schema/json/json_writer.h"
#include "service/access.h"
#include "service/digest.h"

namespace turnlog {
namespace {

constexpr std::size_t kCookieBytes = 32, kIdDigits = 12, kCodeLetters = 8;
constexpr std::string_view kLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";  // none that looks like another one
constexpr int kWrongCodes = 5;

bool IsOlder(Timestamp begun, Timestamp now, std::chrono::nanoseconds than) {
  return now.nanos - begun.nanos > than.count();
}

// A clock that was set back does not lengthen the life of a code.
bool IsOver(Timestamp made, Timestamp now) { return now < made || IsOlder(made, now, kCodeTime); }

// As people type it: small letters, with spaces or dashes.
std::string Normalized(std::string_view code) {
  std::string letters;
  for (const char c : code) {
    if (c == '-' || c == ' ') continue;
    letters.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  }
  return letters;
}

}  // namespace

Sessions::Sessions(std::filesystem::path file) : file_(std::move(file)) {
  if (!file_.empty()) Load();
}

std::string Sessions::MakeCode(Invited invited, Timestamp now) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(codes_, [&](const Code& each) { return IsOver(each.made, now); });
  wrong_codes_ = 0;
  std::string code = RandomText(kCodeLetters, kLetters);
  codes_.push_back({code, std::move(invited), now});
  return code.insert(kCodeLetters / 2, "-");
}

std::optional<Invited> Sessions::TakeCode(std::string_view code, Timestamp now) {
  const std::string given = Normalized(code);
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      codes_, [&](const Code& each) { return SameSecret(given, each.code) && !IsOver(each.made, now); });
  if (found == codes_.end()) {
    if (++wrong_codes_ >= kWrongCodes) codes_.clear();
    return std::nullopt;
  }
  Invited invited = std::move(found->invited);
  codes_.erase(found);
  return invited;
}

Result<std::string> Sessions::Begin(std::string who, Timestamp now, std::string token_hash) {
  std::string cookie = RandomHex(kCookieBytes);
  const std::string hash = Sha256Hex(cookie);
  const std::scoped_lock lock(mutex_);
  std::erase_if(by_hash_, [&](const auto& each) { return IsOlder(each.second.begun, now, kSessionTime); });
  by_hash_.emplace(hash, Session{hash.substr(0, kIdDigits), std::move(who), now, std::move(token_hash)});
  if (const Status saved = Save(); !saved) {
    by_hash_.erase(hash);
    ended_.insert(hash.substr(0, kIdDigits));
    return std::unexpected(saved.error());
  }
  return cookie;
}

std::optional<Session> Sessions::Find(std::string_view cookie, Timestamp now) const {
  const std::scoped_lock lock(mutex_);
  const auto found = by_hash_.find(Sha256Hex(cookie));
  if (found == by_hash_.end() || IsOlder(found->second.begun, now, kSessionTime)) return std::nullopt;
  return found->second;
}

std::vector<Session> Sessions::List(Timestamp now) {
  const std::scoped_lock lock(mutex_);
  if (!ended_.empty()) (void)Save();
  std::vector<Session> sessions;
  for (const auto& [hash, session] : by_hash_) {
    if (!IsOlder(session.begun, now, kSessionTime)) sessions.push_back(session);
  }
  std::ranges::sort(sessions, {}, [](const Session& session) { return std::pair(session.begun, session.id); });
  return sessions;
}

Status Sessions::End(std::string_view id, Timestamp now) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(by_hash_, [&](const auto& each) {
    return each.second.id == id && !IsOlder(each.second.begun, now, kSessionTime);
  });
  if (found != by_hash_.end()) {
    by_hash_.erase(found);
    ended_.emplace(id);
  } else if (!ended_.contains(id)) {
    return std::unexpected(Error{ErrorCode::kNotFound, "there is no such session"});
  }
  return Save();
}

void Sessions::Load() {
  const auto text = ReadFile(PosixFileSystem(), file_);
  const auto root = text ? ObjectReader::Parse(*text) : std::unexpected(text.error());
  if (!root) return;
  for (const ObjectReader& each : root->Objects("sessions")) {
    const auto begun = Timestamp::ParseRfc3339(each.Text("begun"));
    std::string hash = each.Text("hash");
    Session session{each.Text("id"), each.Text("who"), begun.value_or(Timestamp{}),
                    each.FindText("token").value_or("")};
    if (each.ok() && begun) by_hash_.emplace(std::move(hash), std::move(session));
  }
}

Status Sessions::Save() {
  Status saved = Write();
  if (saved) ended_.clear();
  return saved;
}

Status Sessions::Write() const {
  if (file_.empty()) return {};
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("sessions");
  json.StartArray();
  for (const auto& [hash, session] : by_hash_) {
    json.StartObject();
    json.Field("hash", hash);
    json.Field("id", session.id);
    json.Field("who", session.who);
    json.Field("begun", session.begun.ToRfc3339());
    if (!session.token_hash.empty()) json.Field("token", session.token_hash);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return WriteFile(PosixFileSystem(), file_, text);
}

}  // namespace turnlog
