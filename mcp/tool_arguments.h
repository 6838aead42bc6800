// The arguments of a tool, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "schema/json/json_tree.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

class ToolArguments {
 public:
  // kInvalidArgument: it is no object. `json` must outlive it; empty counts as {}.
  static Result<ToolArguments> Parse(const Json& json);

  // kInvalidArgument: it has another type.
  Result<std::optional<std::string>> Text(std::string_view name);
  Result<bool> Flag(std::string_view name);
  // At most `most`, from 0.
  Result<std::uint64_t> Number(std::string_view name, std::uint64_t fallback, std::uint64_t most);
  // kInvalidArgument: also if it is missing.
  Result<ConversationId> Conversation();
  // kInvalidArgument: there is an argument that the tool does not have.
  Status Finish() const;

 private:
  const JsonNode* Take(std::string_view name);

  JsonNode root_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace turnlog
