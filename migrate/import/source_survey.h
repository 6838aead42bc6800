// Surveys a source by reading all of it before anything is imported: its conversations, how many events each has, and
// which of them cannot be imported.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "migrate/import/kept_items.h"
#include "migrate/sources/conversation_table.h"
#include "migrate/sources/source_reader.h"

namespace turnlog {

// Small, because a source may have millions.
struct SurveyedConversation {
  SurveyedBytes bytes;
  std::uint64_t events : 59 = 0;
  bool unnumbered : 1 = false;  // some of them
  bool refused : 1 = false;     // not imported
  bool redacted : 1 = false;    // the source contains something that must not be stored
  // For imports in several passes.
  bool done : 1 = false, deferred : 1 = false;
};
static_assert(sizeof(SurveyedConversation) <= 24);

// Memory: about 52 bytes for each conversation, and their data besides events.
class SourceSurvey {
 public:
  struct Extras {
    std::map<std::string, std::string> parts;
    std::vector<ImportProblem> notes;
    std::optional<SourceResumePoint> resume;
    std::uint64_t rows = 0;  // beside the messages
  };

  static Hash128 KeyOf(std::string_view conversation) {
    return ConversationTable<SurveyedConversation>::KeyOf(conversation);
  }

  // Fails if the source cannot be read. Adds its faults to the report, and its items to `kept`.
  Status Read(SourceReader& reader, ImportReport& report, KeptItems& kept);

  // Null if the source had no such conversation when it was surveyed.
  SurveyedConversation* Find(Hash128 conversation);
  // The conversation's data besides its events.
  Extras FindExtras(Hash128 conversation) const;
  // Something in the source must not be stored as it is.
  void MarkRedacted();
  bool redacted() const { return redacted_; }
  // Whether some event has what could not be read.
  bool has_damage() const { return has_damage_; }
  // The answers to questions for a secret.
  const std::vector<SecretString>& answers() const { return answers_; }
  // Begins another pass.
  void ForgetDeferred();
  // Of the conversations that are not refused.
  SurveyedBytes bytes() const;
  // Of the source, if it is not that of its files.
  std::optional<std::uint64_t> source_size() const { return source_size_; }
  // The conversation, if there is only one.
  const std::string& only() const { return only_; }
  // Number of conversations that are not imported; at least 1 if there is any fault.
  std::uint64_t refused() const;

 private:
  SurveyedConversation& Add(std::string_view conversation, const SourceLocation& location,
                            std::vector<ImportProblem>& problems);
  std::vector<ImportProblem>& NotesFor(const SourceNote& note, ImportReport& report);
  void AddEvent(SourceEvent& event, std::vector<ImportProblem>& problems);
  void AddPart(SourcePart& part, std::vector<ImportProblem>& problems);
  void AddFault(SourceFault fault, std::vector<ImportProblem>& problems);

  ConversationTable<SurveyedConversation> conversations_;
  std::unordered_map<Hash128, Extras> extras_;
  std::vector<SecretString> answers_;
  std::string only_;
  bool any_ = false;
  std::uint64_t end_bytes_ = 0;  // after the last item
  std::optional<std::uint64_t> source_size_;
  bool any_refused_ = false;  // something whose conversation is not known
  bool redacted_ = false;     // some conversation
  bool has_damage_ = false;
};

}  // namespace turnlog
