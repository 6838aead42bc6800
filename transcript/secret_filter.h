// Leaves presumed secrets out of the texts of a transcript.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_matcher.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

class SecretFilter {
 public:
  // `keep`: changes nothing.
  static Result<SecretFilter> Make(bool keep);
  // One with the same rules that has learned nothing.
  SecretFilter Fresh() const { return SecretFilter(detector_); }

  // Looks for secrets in events of the log itself, those from `from` on, until it has read `most_bytes` of them. Where
  // they are repeated, in any encoding that docs/redaction.md lists, they are left out, too. Returns the bytes that it
  // has read. Time: that of `logctl redact --detect` for these events. Memory: the secrets.
  Result<std::uint64_t> Learn(Log& log, const ConversationId& conversation, Seq from = Seq{1},
                              std::uint64_t most_bytes = UINT64_MAX);

  std::string Text(std::string_view text);
  std::string Json(std::string_view json);
  // Whether it has learned that this event answers a question for a secret.
  bool IsSecretAnswer(std::string_view conversation, Seq seq) const;
  bool keeps() const { return detector_ == nullptr; }
  // A secret that was found by other means.
  void Count() { ++found_; }
  std::uint64_t found() const { return found_; }

 private:
  explicit SecretFilter(std::shared_ptr<const SecretDetector> detector) : detector_(std::move(detector)) {}
  std::vector<TextSpan> Find(std::string_view text) const;

  std::shared_ptr<const SecretDetector> detector_;
  std::vector<SecretMatcher> learned_;  // one for each conversation that has secrets
  std::map<std::string, std::set<Seq>, std::less<>> answers_;
  std::uint64_t found_ = 0;
};

}  // namespace turnlog
