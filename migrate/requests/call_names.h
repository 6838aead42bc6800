// Ids of calls and names of tools as all providers accept them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace turnlog {

// Names depend on earlier calls only, so that a request that grows keeps them.
class CallNames {
 public:
  // An id for the next call: its own, unless a letter or its length is not allowed or an earlier call has it.
  std::string IdFor(std::string_view id);
  std::string NameFor(std::string_view tool);

  // All names that were given, in the order of their first use.
  const std::vector<std::string>& tools() const { return tools_; }
  std::uint64_t changed_ids() const { return changed_ids_; }
  std::uint64_t changed_names() const { return changed_names_; }

 private:
  std::unordered_set<std::string> ids_, names_;
  std::vector<std::string> tools_;
  std::uint64_t changed_ids_ = 0, changed_names_ = 0;
};

}  // namespace turnlog
