// What texts of the history repeat from elsewhere in their conversation: secrets that no rule finds where they are
// shown.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "transcript/secret_filter.h"
#include "turnlog/log.h"

namespace turnlog {

// For one use of a tool, which has to answer soon: so much of the conversations is looked through, and no more.
class RepeatedSecrets {
 public:
  RepeatedSecrets(Log& log, SecretFilter& filter, std::uint64_t most_bytes)
      : log_(log), filter_(filter), left_(most_bytes) {}

  // Before texts of the conversation are shown. Of a long one, what is around `shown` is looked through.
  Status Learn(const ConversationId& conversation, Seq shown);
  // Whether all of each conversation was looked through.
  bool is_complete() const { return is_complete_; }

 private:
  Result<Seq> Begin(const ConversationId& conversation, Seq shown, std::uint64_t bytes);

  Log& log_;
  SecretFilter& filter_;
  std::uint64_t left_;
  bool is_complete_ = true;
  std::set<std::string> learned_;
};

}  // namespace turnlog
