// Reads a document that is one record: its tool writes it anew as the conversation goes on, and what is new in it may
// be before what was there. Calls, results, questions and answers are recognised by their ids, all else by what it
// says.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "migrate/compare/redacted_values.h"
#include "migrate/format.h"
#include "migrate/import/secret_search.h"
#include "migrate/sources/source_reader.h"
#include "turnlog/log.h"

namespace turnlog {

// Returns the events that the log has of the document, whether it still has them or not, and then those that are new.
// All are if the log has it as one foreign event, because an earlier version of turnlog understood nothing of it: that
// stays, and has its bytes. Unless something of it was redacted: then nothing comes in. A fault if it has become
// another one: something that the log has is gone, or has changed, and something else is there instead.
//
// Memory: the document, and what the log has of it.
class GrownDocument final : public SourceReader {
 public:
  // `secrets`: what `reader` has found when it is at its end, and what is not in the log; null: nothing.
  GrownDocument(std::unique_ptr<SourceReader> reader, Log& log, const Format& format, SourceSecrets* secrets)
      : reader_(std::move(reader)), log_(log), format_(format), secrets_(secrets) {}

  Result<SourceItem> Next() override;

 private:
  // An event of the document or of the log.
  struct Part {
    std::size_t item = 0;  // of the document
    Seq seq;               // in the log
    HeldEvent event;
    std::string meaning, id;  // no id: recognised by what it says
    bool readable = true;     // not redacted
    bool quarantined = false;
    bool foreign = false;
    std::optional<std::size_t> other;  // the same one in the other list
  };

  Status Read();
  Status Merge();
  Status TakeNow();
  Status TakeKnown();
  Result<Part> MakePart(const EventView& event);
  void JoinOriginal();
  Result<std::string> MeaningWithoutRedacted(const Part& now);
  Result<bool> IsSame(const Part& known, const Part& now);
  Result<bool> OnlyGrows();
  Result<bool> Match();
  Result<bool> MatchById(std::size_t now);
  Result<bool> MatchByMeaning(std::size_t now);
  void LookForLost();
  void Arrange();
  void FindWhole();
  bool IsKnownAsText();
  bool HasSameText() const;
  void LeaveOut();
  void Refuse();
  void ShowAllBytes();
  void SetBytes(std::string_view bytes);
  void SetSourceText(Part& part, std::optional<std::string_view> bytes);
  SourceEvent Repeat(const Part& known) const;
  ImportReason WhyRefused() const;

  const std::unique_ptr<SourceReader> reader_;
  Log& log_;
  const Format& format_;
  SourceSecrets* const secrets_;
  std::deque<SourceItem> items_;  // yet to be returned
  bool read_ = false;
  std::string conversation_;
  SourceLocation location_;
  std::vector<Part> now_, known_;   // of the document, of the log
  bool is_complete_ = false;        // the log has all that an import has counted
  Part* whole_ = nullptr;           // of known_: the foreign event, if the document is something else now
  RedactedValues redacted_values_;  // which the log has removed from events that repeat them, too
  // Of known_, in order: by their ids those that nothing was found to equal yet, the others by what they say, and those
  // of them that were redacted by their kinds.
  using Places = std::unordered_map<std::string_view, std::deque<std::size_t>>;
  Places known_ids_, known_texts_, redacted_;
  std::size_t next_known_ = 0;  // of those without ids
  bool has_new_ = false;        // without an id
  std::optional<Seq> lost_;     // the first one without an id that the document does not have
  Seq differs_;                 // if it has become another one
};

}  // namespace turnlog
