// Browsers that are signed in: a cookie for each, in exchange for a token or a one-time pairing code.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

inline constexpr std::chrono::hours kSessionTime{24 * 30};
inline constexpr std::chrono::minutes kCodeTime{10};

struct Session {
  std::string id;   // for people who list and revoke sessions; no use without the cookie
  std::string who;  // the person's name; may be empty
  Timestamp begun;
  // SHA-256 of the named token that it was begun with: its rights are those of the token, and it ends with it. Empty:
  // it has all rights.
  std::string token_hash = {};
};

// Who a pairing code is for.
struct Invited {
  std::string who;         // may be empty
  std::string token_hash;  // as in Session: of the token that the code was asked for with
};

// Kept in a file, so that they outlive a restart: only hashes of cookies, so that the file cannot be used to sign in.
// Threads: all members may be called from any thread at once.
class Sessions {
 public:
  // `file`: empty: in memory only. A file that cannot be understood counts as empty: people sign in again.
  explicit Sessions(std::filesystem::path file);
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // A code that signs in once, within kCodeTime.
  std::string MakeCode(Invited invited, Timestamp now);
  // None: it is wrong, used, or too old. A few wrong ones void all codes, so that they
  // cannot be guessed.
  std::optional<Invited> TakeCode(std::string_view code, Timestamp now);

  // Gives the value of the new session's cookie.
  Result<std::string> Begin(std::string who, Timestamp now, std::string token_hash = {});
  std::optional<Session> Find(std::string_view cookie, Timestamp now) const;
  // Oldest first.
  std::vector<Session> List(Timestamp now);
  // kNotFound: there is no such session. After another error it has ended, but may live again after a restart: ending
  // it again, and every other change and list, tries again to save that.
  Status End(std::string_view id, Timestamp now);

 private:
  struct Code {
    std::string code;
    Invited invited;
    Timestamp made;
  };

  void Load();
  Status Save();
  Status Write() const;

  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::map<std::string, Session> by_hash_;    // of the cookie
  std::set<std::string, std::less<>> ended_;  // ids that have ended, but may still be in the file
  std::vector<Code> codes_;
  int wrong_codes_ = 0;
};

}  // namespace turnlog
