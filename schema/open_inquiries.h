// Which inquiries of one turn wait for their response.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace turnlog {

struct OpenInquiry {
  std::string id;
  std::uint64_t seq = 0;
  bool secret = false;
  bool operator==(const OpenInquiry&) const = default;
};

// Pairs responses with requests inside a turn: a response closes the nearest earlier open request of the same id.
// Every step costs the logarithm of what is open.
class OpenInquiries {
 public:
  // REQUIRES: `seq` is higher than any that was opened before.
  void Open(std::string_view id, std::uint64_t seq, bool secret);
  // The request that a response with this id closes; none if it answers nothing.
  std::optional<OpenInquiry> Close(std::string_view id);
  // The request that Close would close. Valid until the next change.
  const OpenInquiry* Find(std::string_view id) const;
  // A new turn begins: whatever is open stays unanswered and is forgotten.
  void StartTurn();

  // In order of seq. Valid until the next change.
  auto all() const { return std::views::values(open_); }
  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>()(id); }
  };

  std::map<std::uint64_t, OpenInquiry> open_;
  std::unordered_map<std::string, std::vector<std::uint64_t>, Hash, std::equal_to<>> seqs_;  // by id, ascending
};

}  // namespace turnlog
