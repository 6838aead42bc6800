// Secrets in what is imported: found by the rules of docs/formats/secret_rules.md, and removed if that is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/logged/import_record.h"
#include "migrate/sources/source_reader.h"
#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_values.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

// Shared by all sources of an import. Immutable: any thread may use it.
class SecretSearch {
 public:
  static Result<std::unique_ptr<const SecretSearch>> Make(SecretDetection detection);

  bool reports() const { return detection_ == SecretDetection::kReport; }
  bool redacts() const { return detection_ == SecretDetection::kRedact; }
  const SecretDetector& detector() const { return *detector_; }
  // Adds what the rules find in the event, or in the text.
  void Count(EventView event, std::map<std::string, std::uint64_t>& by_rule) const;
  void Count(std::string_view text, std::map<std::string, std::uint64_t>& by_rule) const;

 private:
  SecretSearch(SecretDetection detection, std::unique_ptr<SecretDetector> detector)
      : detection_(detection), detector_(std::move(detector)) {}

  const SecretDetection detection_;
  const std::unique_ptr<const SecretDetector> detector_;
};

struct SecretRemoval {
  std::optional<Event> event;      // none: nothing was removed
  std::vector<std::string> rules;  // by which something was
  std::vector<std::string> kept;   // the fields that have a secret and cannot be changed
};

// The secrets of one source. Its first reading finds them, by rules and by what was answered; then they are removed
// wherever they are in it.
class SourceSecrets {
 public:
  // `search`: null if only given answers are removed.
  explicit SourceSecrets(const SecretSearch* search) : search_(search) {}

  // Of the first reading. Whether there is a secret in it.
  bool Look(EventView event);
  bool Look(std::string_view text);
  // What was answered to questions for a secret.
  void AddAnswers(std::span<const SecretString> answers);
  bool found() const { return found_; }

  // After that.
  Result<SecretRemoval> Redact(const EventView& event);
  // Returns the rules by which something was removed.
  std::vector<std::string> Redact(ImportRecord& record);

 private:
  std::vector<TextSpan> Find(std::string_view text, std::vector<std::string>* rules);
  std::vector<std::string> RulesBesideIds(EventView event);

  const SecretSearch* const search_;
  bool found_ = false;
  SecretValues values_;
  std::optional<SecretMatcher> matcher_;  // of the values
};

// A reader that shows `secrets` all that another one returns, and marks what has some.
std::unique_ptr<SourceReader> LookForSecrets(std::unique_ptr<SourceReader> reader, SourceSecrets& secrets);
// A reader that removes the secrets from the events of another one.
std::unique_ptr<SourceReader> WithoutSecrets(std::unique_ptr<SourceReader> reader, SourceSecrets& secrets);

}  // namespace turnlog
