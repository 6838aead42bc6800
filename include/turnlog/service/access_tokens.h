// Named tokens for a service's TCP address, each with rights. The file has only their hashes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// Each of the others includes `read`.
enum class AccessRight : std::uint8_t {
  kRead,
  kAnswer,    // answer and cancel questions, mark conversations as seen
  kAppend,    // append events, and take secrets that are given to an agent
  kMaintain,  // erase, redact, read all storage, sign browsers in and out
};

// "read", "answer", "append", "maintain"; none for anything else.
std::optional<AccessRight> ParseAccessRight(std::string_view name);
std::string_view ToString(AccessRight right);
std::set<AccessRight> AllRights();

struct AccessToken {
  std::string name;
  std::set<AccessRight> rights;
  Timestamp made;
};

// The file of the service that serves the store in this folder.
std::filesystem::path AccessTokensFile(const std::filesystem::path& store);

// Gives the new token, which is kept nowhere; a running service knows it at once. kConflict: there is one of that name.
// kInvalidArgument: no name, or one with control characters; no rights.
Result<std::string> AddAccessToken(const std::filesystem::path& file, const std::string& name,
                                   const std::set<AccessRight>& rights);
// In the order of their names. A missing file has none. kCorruption: the file cannot be understood.
Result<std::vector<AccessToken>> ListAccessTokens(const std::filesystem::path& file);
// kNotFound: there is none of that name.
Status RemoveAccessToken(const std::filesystem::path& file, std::string_view name);

}  // namespace turnlog
