// Collects the events of one record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret_string.h"
#include "migrate/records/record_template.h"
#include "turnlog/event.h"

namespace turnlog {

// What a record says of itself. Its events get ids derived from its own.
struct RecordHead {
  std::optional<std::string> id;
  std::optional<Timestamp> time;
};

class RecordEvents {
 public:
  // `format`: of foreign events. REQUIRES: the texts live until the next Begin.
  void Begin(std::string_view format, std::string_view record, RecordHead head);
  const RecordHead& head() const { return head_; }

  // The record is `record` instead, because it has what must not be stored: `answers` to questions for a secret.
  // REQUIRES: nothing was added so far.
  void Redact(std::string record, std::vector<SecretString> answers);
  bool redacted() const { return redacted_; }
  std::vector<SecretString>& answers() { return answers_; }
  std::string_view record() const { return record_; }

  // The reference is valid until the next Add.
  Event& Add(Event::Body body);
  // A part of the record that turnlog has no event for.
  void AddForeign(std::string_view part);
  // The last event reproduces these bytes, if they are some of the record. `known`: exactly, so that it need
  // not be tried.
  void Reproduces(Slot slot, std::string_view bytes, bool known = false);

  // Something to be said of the record, to the user.
  void Note(std::string note) { note_ = std::move(note); }
  const std::string& note() const { return note_; }

  bool empty() const { return events_.empty(); }
  std::vector<Event>& events() { return events_; }
  // Whether the log accepts all of them.
  bool AreValid() const;
  // The first event gets the template of the record, and each event its id unless `repeated`.
  void Finish(std::string_view lead, bool repeated);
  // Whether the log accepts valid events also with what Finish has added to them.
  bool Fit() const;
  // One foreign event instead, which is the record as it is.
  void KeepAsForeign(std::string_view lead, bool repeated);
  // The same for a record that is any text: the foreign event has it as a JSON string.
  void KeepAsText();

 private:
  // None if the ids cannot be used.
  std::optional<std::string> IdOf(std::size_t event, bool repeated) const;

  std::string_view format_, record_;
  std::string replaced_;  // what record_ is, if it is not the source's
  bool redacted_ = false;
  std::vector<SecretString> answers_;
  RecordHead head_;
  std::vector<Event> events_;
  std::vector<TemplateSlot> slots_;
  std::string note_;
};

}  // namespace turnlog
