// The named tokens that a running service accepts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "turnlog/service/access_tokens.h"

namespace turnlog {

// By the SHA-256 of each.
using TokensByHash = std::map<std::string, AccessToken>;
Result<TokensByHash> LoadTokens(const std::filesystem::path& file);

// What tells a file from the one that has replaced it; all 0: there is none.
struct TokensFileState {
  std::uint64_t inode = 0, size = 0;
  std::int64_t seconds = 0, nanos = 0;
  bool operator==(const TokensFileState&) const = default;
};

// Threads: all members may be called from any thread at once.
class NamedTokens {
 public:
  // `file`: empty: there are none. It is read again when it has changed; while it cannot be understood, it has none.
  explicit NamedTokens(std::filesystem::path file) : file_(std::move(file)) {}

  // In time that does not depend on how similar it is to one that is accepted.
  std::optional<AccessToken> Find(std::string_view token) const;
  // The token with this SHA-256, if it has not been removed.
  std::optional<AccessToken> FindByHash(const std::string& hash) const;

 private:
  void Reload() const;

  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  mutable TokensFileState read_;
  mutable TokensByHash tokens_;
};

}  // namespace turnlog
