// Finds the source events of secrets in a conversation, and the values in them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_values.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {

struct RedactionSource {
  bool answer = false;  // an answer that becomes `redacted`
  std::set<RuleNumber> rules;
  std::set<ValueNumber> values;  // values to search for elsewhere
};

using ConversationSources = std::map<Seq, RedactionSource>;

// What makes an event a source.
struct SourceSearch {
  bool secrets = false;                                    // answers to questions for a secret
  const SecretDetector* detector = nullptr;                // what its rules find
  const std::vector<AcceptedFinding>* accepted = nullptr;  // but for these
};

// REQUIRES: the events of one conversation are added in order.
class SourceFinder {
 public:
  // Adds to `values` and `unsearched`.
  SourceFinder(std::string conversation, const SourceSearch& search, SecretValues& values,
               std::vector<UnsearchedValue>& unsearched)
      : conversation_(std::move(conversation)), search_(search), values_(values), unsearched_(unsearched) {}

  // The name of the conversation may have a secret: then it is searched for, with seq 0 as its source.
  void AddName();
  void Add(Seq seq, const EventView& event);
  // Adds the answer of this event, whatever was asked. False if it is not an answer.
  bool AddAnswer(Seq seq, const EventView& event, std::string_view rule);
  // Ends the conversation and returns what was found.
  ConversationSources Take();

 private:
  struct Answer {
    Seq seq;
    std::string id;
    SecretString json;
  };

  void TakeQuestion(Seq seq, const InquiryRequestView& request);
  void Detect(Seq seq, EventView event);
  bool IsAccepted(Seq seq, const std::string& rule) const;
  void DetectIn(Seq seq, std::string_view text, bool json);
  void EndTurn();
  void AddAnswer(Seq seq, std::string_view json, std::string_view rule);
  void AddValue(Seq seq, std::string_view value, std::string_view rule, std::string why);

  const std::string conversation_;
  const SourceSearch search_;
  SecretValues& values_;
  std::vector<UnsearchedValue>& unsearched_;
  ConversationSources sources_;
  std::set<std::string, std::less<>> asked_;  // ids of the turn's requests for secrets
  // Its other requests, with their options if they ask for a secret in words.
  std::map<std::string, std::optional<std::vector<std::string>>> asked_plainly_;
  std::set<std::string, std::less<>> asked_before_;  // of earlier turns' requests for secrets
  std::vector<Answer> answers_;                      // of the turn
};

// Findings of the detector without those that are remains of an earlier redaction, or in opaque values.
std::vector<FoundSecret> FindUnredacted(const SecretDetector& detector, std::string_view text);

// A given value without surrounding space.
std::string_view TrimValue(std::string_view value);

}  // namespace turnlog
