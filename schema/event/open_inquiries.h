// Which inquiries of a turn wait for their response, and which of the conversation's asked for a secret.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

#include "turnlog/open_requests.h"

namespace turnlog {

struct OpenInquiry {
  std::string id;
  std::uint64_t seq = 0;
  bool secret = false;
  bool operator==(const OpenInquiry&) const = default;
};

// Pairs responses with requests as OpenRequests does. Every step costs the logarithm of what is open.
class OpenInquiries {
 public:
  // REQUIRES: `seq` is higher than any that was opened before.
  void Open(std::string_view id, std::uint64_t seq, bool secret);
  // The request that a response with this id closes; none if it answers nothing.
  std::optional<OpenInquiry> Close(std::string_view id);
  // The seq of the secret request that an answer with this id could belong to: of the one that it would close, or, if
  // it would close none, of the last one of this turn or of an earlier one, though that may have its response already.
  std::optional<std::uint64_t> SecretOf(std::string_view id) const;
  // A new turn begins: what is open stays unanswered. Of earlier turns only requests for secrets are remembered, the
  // last kMostSecrets.
  void StartTurn();
  static constexpr std::size_t kMostSecrets = 64;

  // The last secret request of each id, open or not, which all() does not contain. To be kept with it.
  const std::map<std::string, std::uint64_t, std::less<>>& secrets() const { return secrets_; }
  void RememberSecret(std::string_view id, std::uint64_t seq) { secrets_.insert_or_assign(std::string(id), seq); }

  // In order of seq. Valid until the next change.
  auto all() const { return std::views::values(open_); }
  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }

 private:
  std::map<std::uint64_t, OpenInquiry> open_;
  OpenRequests seqs_;
  std::map<std::string, std::uint64_t, std::less<>> secrets_;
};

}  // namespace turnlog
