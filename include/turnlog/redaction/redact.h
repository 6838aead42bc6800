// Removing values from a store for good: the events that hold them are redacted, the old bytes are overwritten
// (Log::Redact), and everything stored is searched to prove it. docs/redaction.md says what is guaranteed.
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
  std::optional<Turn> turn;                    // none: all turns
  std::optional<ConversationId> conversation;  // none: all that have the inquiry
};

// What a rule finds in one event, and is known to be no secret.
struct AcceptedFinding {
  std::string rule;
  std::string conversation;
  Seq seq;
  auto operator<=>(const AcceptedFinding&) const = default;
};

// The values to redact, in every occurrence in any event of any conversation. Each value has a rule: "secret-answer",
// "secret-question", "inquiry-answer", "given-value", or one of the detector's.
struct RedactionTargets {
  bool secrets = false;  // answers in clear to questions that ask for a secret
  std::vector<InquiryToRedact> inquiries;
  std::vector<std::string_view> values;  // in all occurrences; only read while planning
  // Values that look like a key, a token or a password, and texts that answer a question for one.
  bool detect = false;
  std::filesystem::path rules;  // a file of rules for `detect`, in addition to the built-in ones; empty: none
  std::optional<std::string> rules_text = {};  // what that file contains; nothing: it is read
  // With `secrets` and `detect`: only look into events that no earlier redaction with the same rules has read. What is
  // found there is searched for in all events.
  bool only_new = false;
  std::vector<AcceptedFinding> accepted;  // not redacted by `detect`
  unsigned jobs = 0;                      // threads that search; 0: one for each processor
};

struct RedactedEvent {
  Seq seq;
  std::vector<std::string> rules;
};

// Conversation ids are shown with "[redacted]" in place of a value.
struct RedactedConversation {
  std::string id;
  std::vector<RedactedEvent> events;  // in order
  std::vector<Seq> redactions;        // the `redaction` events that record it; empty in a plan
};

// The location of an occurrence that is not redacted.
struct ValueLocation {
  std::string file;  // below the store, or empty
  std::uint64_t offset = 0;
  std::string conversation;  // or empty
  Seq seq;                   // 0: the conversation's id
  std::string field;
};

// A value that is too short or too common to search for: it is redacted only where it was found.
struct UnsearchedValue {
  std::string conversation;  // empty: one of RedactionTargets::values
  Seq seq;
  std::size_t index = 0;  // of RedactionTargets::values
  std::string rule;
  std::string reason;
};

// One value that is searched for, without the value.
struct RedactedSecret {
  std::string fingerprint;  // of the value, keyed with a random number of this run: compares equal only within it
  std::string rule;
  std::string why;                    // it is taken for a secret, on one line
  std::vector<ValueLocation> events;  // that contain it: conversation and seq
  std::uint64_t conversations = 0;
  std::optional<Timestamp> first, last;  // times of those events
  bool sent_to_model = false;            // one of them is a message or a tool call
};

struct RedactionPlan {
  std::uint64_t values = 0;       // that are searched for
  std::uint64_t events_read = 0;  // to find values
  std::uint64_t conversations_read = 0;
  std::vector<RedactedConversation> conversations;  // with something to redact
  std::vector<RedactedSecret> secrets;              // that occur in an event
  std::vector<ValueLocation> kept;                  // names and ids that hold a value; never changed
  // Signatures, ids and other opaque values that contain a value. All of each is removed, and of what a provider has
  // sealed the block that it belongs to.
  std::vector<ValueLocation> opaque;
  std::vector<UnsearchedValue> unsearched;
  std::vector<Damage> damage;  // what could not be read

  std::uint64_t events() const;  // to be redacted
  bool complete() const;         // it covers everything that was asked for
};

// The result of the proof. Contains nothing of the values but their number.
struct RedactionProof {
  Timestamp time;
  std::string store_id;
  std::vector<std::string> rules;  // the rules of the values
  std::uint64_t values = 0, unsearched = 0;
  std::vector<RedactedConversation> conversations;        // what was redacted
  std::uint64_t files = 0, bytes = 0, index_entries = 0;  // searched
  std::uint64_t compressed_records = 0;                   // of the files, searched decompressed
  std::uint64_t sources = 0;                              // source events that were checked again
  std::uint64_t left_count = 0;
  std::vector<ValueLocation> left;    // the first 1,000
  std::vector<std::string> problems;  // what could not be read

  bool clean() const { return left_count == 0 && problems.empty(); }
};

struct RedactionState;

// One redaction, from search to proof. Holds the values and wipes them at the end. One thread at a time.
class Redaction {
 public:
  // Finds what to redact. Writes nothing; `log` may be open for reading and must outlive the redaction. kNotFound:
  // there is no such inquiry. Cost: reads all events, twice unless only values are given. Memory: what is found, and an
  // event for each thread.
  static Result<std::unique_ptr<Redaction>> Plan(Log& log, const RedactionTargets& targets,
                                                 const Progress& progress = {});
  ~Redaction();
  Redaction(const Redaction&) = delete;
  Redaction& operator=(const Redaction&) = delete;

  const RedactionPlan& plan() const&;
  const RedactionPlan& plan() const&& = delete;

  // What the rules found, for RedactionTargets::accepted; seq 0: in a conversation's name. Names are as they are,
  // unlike those of the plan.
  std::vector<AcceptedFinding> Findings() const;

  // Executes the plan, also for events appended meanwhile to conversations that it changes. `by`: the actor that the
  // `redaction` events record. After an interruption, a redaction with the same targets completes it: the source events
  // of a value are redacted last. Memory: some 64 MiB, or about thirteen times the largest event.
  Status Apply(std::string_view by, const Progress& progress = {});

  // Writes a checkpoint and searches everything that the log's engine has stored (Log::VisitStorage), if there is a
  // value to search for. If nothing is left, it saves how far this redaction has read, see RedactionTargets::only_new.
  Result<RedactionProof> Prove(const Progress& progress = {});

 private:
  explicit Redaction(std::unique_ptr<RedactionState> state);
  std::unique_ptr<RedactionState> state_;
};

}  // namespace turnlog
