// Taking values out of a store for good: the events that hold them get a redacted form, the old bytes are overwritten
// (Log::Redact), and everything that is stored is searched to prove it. docs/redaction.md says what that promises.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/log.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// The answers of one inquiry.
struct InquiryToRedact {
  std::string id;
  std::optional<Turn> turn;                    // all turns if none is named
  std::optional<ConversationId> conversation;  // all that have it if none is named
};

// What has to go, together with every echo of it in any event of any conversation. Each find has a rule for its name:
// "secret-answer", "inquiry-answer", "given-value", or the detector's.
struct RedactionTargets {
  bool secrets = false;  // answers in clear to questions that asked for a secret
  std::vector<InquiryToRedact> inquiries;
  std::vector<std::string_view> values;  // wherever they stand; only read while planning
  bool detect = false;                   // what looks like a key, a token or a password
  std::filesystem::path rules;           // beside the built-in ones, for `detect`; empty: none
};

struct RedactedEvent {
  Seq seq;
  std::vector<std::string> rules;
};

// Conversation ids are shown as "[redacted]" where they hold a value.
struct RedactedConversation {
  std::string id;
  std::vector<RedactedEvent> events;  // in order
  std::vector<Seq> redactions;        // the `redaction` events that tell of it; none of a plan
};

// Where a value stands that is not redacted by itself.
struct ValuePlace {
  std::string file;  // below the store, or empty
  std::uint64_t offset = 0;
  std::string conversation;  // or empty
  Seq seq;                   // 0: the conversation's id
  std::string field;
};

// A value that is too short or too common to be looked for: it goes where it was found, and nowhere else.
struct UnsearchedValue {
  std::string conversation;  // empty: one of RedactionTargets::values
  Seq seq;
  std::size_t index = 0;  // of RedactionTargets::values
  std::string rule;
  std::string reason;
};

struct RedactionPlan {
  std::uint64_t values = 0;  // that are looked for
  std::uint64_t conversations_read = 0;
  std::vector<RedactedConversation> conversations;  // with something to redact
  std::vector<ValuePlace> kept;                     // names and ids that hold a value: these are never changed
  std::vector<UnsearchedValue> unsearched;
  std::vector<Damage> damage;  // what could not be looked into

  std::uint64_t events() const;  // to be redacted
};

// The proof. Says nothing of the values but how many there were.
struct RedactionReceipt {
  Timestamp time;
  std::string store_id;
  std::vector<std::string> rules;  // by which there was something to look for
  std::uint64_t values = 0, unsearched = 0;
  std::vector<RedactedConversation> conversations;        // what was redacted
  std::uint64_t files = 0, bytes = 0, index_entries = 0;  // that were searched
  std::uint64_t places = 0;                               // where a value had stood by itself, looked at again
  std::uint64_t left_count = 0;
  std::vector<ValuePlace> left;       // the first 1,000
  std::vector<std::string> problems;  // what could not be read

  bool clean() const { return left_count == 0 && problems.empty(); }
};

struct RedactionState;

// One redaction, from finding to proof. Holds the values and wipes them. One thread at a time.
class Redaction {
 public:
  // Finds what has to go. Writes nothing; a log that is open for reading will do. The log must outlive the redaction.
  // kNotFound: nobody has such an inquiry. Cost: all events, twice unless only values are given. Memory: what is found.
  static Result<std::unique_ptr<Redaction>> Plan(Log& log, const RedactionTargets& targets,
                                                 const Progress& progress = {});
  ~Redaction();
  Redaction(const Redaction&) = delete;
  Redaction& operator=(const Redaction&) = delete;

  const RedactionPlan& plan() const;

  // Carries the plan out, also in events appended meanwhile to conversations that it changes. `by` says who does it, in
  // the `redaction` events. Interrupted anywhere, the same targets bring it to its end: what tells of a value goes
  // last. Memory: some 64 MiB or twice the largest event.
  Status Apply(std::string_view by, const Progress& progress = {});

  // Makes a checkpoint and searches everything that the log's engine has stored (Log::VisitStorage).
  Result<RedactionReceipt> Prove(const Progress& progress = {});

 private:
  explicit Redaction(std::unique_ptr<RedactionState> state);
  std::unique_ptr<RedactionState> state_;
};

}  // namespace turnlog
