// The presumed secrets of a session, by rule.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/decoded_text.h"
#include "turnlog/doctor/doctor.h"
#include "turnlog/result.h"

namespace turnlog {

class SecretDetector;

// Immutable: any thread may use it.
class SessionSecrets {
 public:
  static Result<SessionSecrets> Make();
  SessionSecrets(SessionSecrets&& other) noexcept;
  SessionSecrets& operator=(SessionSecrets&& other) noexcept;
  ~SessionSecrets();

  // `line`: of the record.
  void Count(std::string_view record, std::uint64_t line, std::map<std::string, SecretCount>& by_rule) const;
  // Calls `visit` with each, as it is in the text.
  void ForEach(std::string_view text, const std::function<void(std::string_view value)>& visit) const;
  // The record, which is JSON, with its secrets replaced; nothing if there are none.
  std::optional<std::string> Redact(std::string_view record) const;
  // The same of any text.
  std::optional<std::string> RedactAnyText(std::string_view text) const;

 private:
  explicit SessionSecrets(std::unique_ptr<SecretDetector> detector);
  // What to remove.
  std::vector<TextSpan> SpansIn(std::string_view text) const;

  std::unique_ptr<SecretDetector> detector_;
};

// What is done with the secrets of a file.
struct FoundSecretCounts {
  const SessionSecrets& secrets;
  bool redact = false;
  bool counts_apart = false;                   // in a thread of its own: there is an idle processor
  std::map<std::string, SecretCount> found{};  // by rule
  std::uint64_t redacted = 0;                  // records
};

}  // namespace turnlog
