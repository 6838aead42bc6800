// The presumed secrets of a session, by rule.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/known_secrets.h"
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

  // What the rules find, and known ones that they do not find. `line`: of the record.
  void Count(std::string_view record, std::uint64_t line, const KnownSecrets& known,
             std::map<std::string, SecretCount>& by_rule) const;
  // Calls `visit` with each, as it is in the text.
  void ForEach(std::string_view text, const std::function<void(std::string_view value)>& visit) const;
  // The record, which is JSON, with its secrets and the known ones replaced; nothing if there are none. Adds its own to
  // `known`.
  std::optional<std::string> Redact(std::string_view record, KnownSecrets& known) const;
  // The same of any text.
  std::optional<std::string> RedactAnyText(std::string_view text, KnownSecrets& known) const;

 private:
  explicit SessionSecrets(std::unique_ptr<SecretDetector> detector);
  // What to remove.
  std::vector<TextSpan> Find(std::string_view text, KnownSecrets& known) const;

  std::unique_ptr<SecretDetector> detector_;
};

// What is done with the secrets of a file.
struct FoundSecretCounts {
  const SessionSecrets& secrets;
  KnownSecrets& known;
  bool redact = false;
  bool counts_apart = false;                   // in a thread of its own: there is an idle processor
  std::map<std::string, SecretCount> found{};  // by rule
  std::set<std::uint64_t> redacted{};          // records, by their number in the file
};

}  // namespace turnlog
