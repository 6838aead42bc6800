// The interface of a format's reader: returns one item at a time, from the beginning of a source to its end.
//
// A reader does not access the log. It keeps one record and the state needed for the next, and it returns the same
// items every time: a source is read once to check it, and again to import it.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "base/secret_string.h"
#include "schema/event/held_event.h"
#include "turnlog/event.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

class SourceFile;

// A location in a source.
struct SourceLocation {
  std::string_view file;  // its path: SourceFile::path, which lives as long as the source
  std::optional<std::uint64_t> element, line, byte;
};

// What is wrong or was changed, without its location.
struct ImportReason {
  ImportProblemCode code{};
  std::string text{};  // empty: nothing is

  bool empty() const { return text.empty(); }
};

// Of a reader that was to go on from where an earlier one ended, and cannot.
inline std::unexpected<Error> MustBeReadAsAWhole() {
  return std::unexpected(Error{ErrorCode::kConflict, "must be read from its beginning"});
}

// That the last line of a file may be written on; `fault`: why it cannot be read as it is.
std::string LastLineIsTorn(std::string_view fault);

// That the answers to a question for a secret were removed.
ImportReason AnswerRedacted();

// The problem at a location.
ImportProblem At(const SourceLocation& location, ImportReason reason);
// The problem of a source that cannot be read.
ImportReason WhyUnreadable(const Error& error);

// What is to be said of an event, which is little of few.
struct SourceRemarks {
  std::string problem{};                    // why it is quarantined; empty if it is not
  ImportReason note{};                      // what the reader changed
  std::vector<std::string> secrets{};       // the rules by which secrets were removed from it
  std::vector<std::string> kept_secrets{};  // its fields in which secrets stay
  std::vector<SecretString> answers{};      // to questions for a secret, which were removed from it

  bool empty() const {
    return problem.empty() && note.empty() && secrets.empty() && kept_secrets.empty() && answers.empty();
  }
};

// An event. Views are valid until the next call of Next, and its payload for as long as `memory` is kept.
struct SourceEvent {
  std::string_view conversation;
  std::optional<Seq> seq;  // according to the source
  EncodedEvent event;
  EventMemory memory{};  // what the payload is in; null: it is valid until the next call
  SourceLocation location;
  bool redacted = false;   // the source contains something that must not be stored
  bool is_row = false;     // beside the messages (records/record_revision.h)
  std::uint64_t size = 0;  // of the bytes in the source that it was read from; 0: they belong to another item
  std::unique_ptr<SourceRemarks> remarks{};  // null: none

  SourceRemarks& remark() {
    if (remarks == nullptr) remarks = std::make_unique<SourceRemarks>();
    return *remarks;
  }
  bool is_quarantined() const { return remarks != nullptr && !remarks->problem.empty(); }

  // Puts another event in its place. Fails with Validate's error.
  Status Replace(const EventView& other);
  // Takes the event, to keep it for longer.
  HeldEvent TakeEvent() { return memory != nullptr ? HeldEvent{event, std::move(memory)} : HeldEvent::Copy(event); }
};

// Data of a conversation besides its events, which an export restores: a file, a title, text after the last event.
// Stored in the import record.
struct SourcePart {
  std::string_view conversation;
  std::string name;
  std::string bytes;
  std::uint64_t size = 0;  // as in SourceEvent; 0 also if they are not readable
  bool torn = false;       // the last record, which may not have been written completely yet
  bool left_out = false;   // not to be stored
};

// A fault that prevents the import of a conversation, or of all if it is unknown which one.
struct SourceFault {
  std::optional<std::string> conversation;
  ImportProblem problem;
};

struct SourceNote {
  enum class Weight : std::uint8_t {
    kOnce,     // reported when the conversation is imported for the first time
    kAlways,   // reported whenever the source is read
    kProblem,  // so is this; something could not be read
  };

  std::string_view conversation;
  ImportProblem note;
  Weight weight = Weight::kOnce;
};

// The end of the file of a conversation, and how reading can go on there when it has grown.
struct SourceResumePoint {
  std::string_view conversation;
  const SourceFile* file = nullptr;
  std::vector<const SourceFile*> part_files;  // that parts of the conversation come from
  std::uint64_t offset = 0, line = 1;         // after the last record
  std::uint64_t trailer = 0;                  // readable bytes after it
  // What else the reader needs; no contents of the source. None: the file must be read from its beginning.
  std::optional<std::string> reader;
  Hash128 version{};  // of the rows that it was, instead of a file
};

struct EndOfSource {
  std::uint64_t size = 0;  // of the bytes after the last item, e.g. a closing bracket
  // Of all bytes of the source, if they are not those of its files: of the rows of a database.
  std::optional<std::uint64_t> source_size{};
};

using SourceItem = std::variant<EndOfSource, SourceEvent, SourcePart, SourceFault, SourceNote, SourceResumePoint>;

// What became of the bytes of a conversation; the others are unreadable.
struct SurveyedBytes {
  std::uint64_t imported = 0, kept_raw = 0;

  SurveyedBytes& operator+=(const SurveyedBytes& other) {
    imported += other.imported;
    kept_raw += other.kept_raw;
    return *this;
  }
};

class SourceReader {
 public:
  virtual ~SourceReader() = default;
  // Fails if the bytes cannot be read; malformed contents are items.
  virtual Result<SourceItem> Next() = 0;
};

}  // namespace turnlog
