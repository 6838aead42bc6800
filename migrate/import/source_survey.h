// What is in a source, found by reading all of it before anything of it is imported: which conversations, how many
// events each has, and which of them cannot be imported.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "migrate/import/source_reader.h"

namespace turnlog {

struct SurveyedConversation {
  std::uint64_t events = 0;
  bool refused = false;   // it is not imported
  bool redacted = false;  // something that stands in the source must not be written
  // For those who import it in several passes.
  bool done = false, deferred = false;
};

// Memory: about 100 bytes for each conversation, and what they have beside their events.
class SourceSurvey {
 public:
  struct Extras {
    std::map<std::string, std::string> parts;
    std::vector<ImportProblem> notes;
  };

  static Hash128 KeyOf(std::string_view conversation) { return HashId(conversation, 0); }

  // Fails if the source cannot be read. What is wrong with it goes into `problems`.
  Status Read(SourceReader& reader, std::vector<ImportProblem>& problems);

  // Nothing if the source had no such conversation when it was surveyed.
  SurveyedConversation* Find(Hash128 conversation);
  // What the conversation has beside its events.
  Extras FindExtras(Hash128 conversation) const;
  // Another pass begins.
  void ForgetDeferred();
  // How many conversations are not imported, at least one if anything is wrong.
  std::uint64_t refused() const;

 private:
  SurveyedConversation& Add(std::string_view conversation, const SourcePlace& place,
                            std::vector<ImportProblem>& problems);
  void AddFault(SourceFault fault, std::vector<ImportProblem>& problems);

  std::unordered_map<Hash128, SurveyedConversation> conversations_;
  std::unordered_map<Hash128, Extras> extras_;
  bool all_refused_ = false;
};

}  // namespace turnlog
