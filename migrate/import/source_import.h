// Imports one source: reads it once to check it, and again to import it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "migrate/format.h"
#include "migrate/import/conversation_import.h"
#include "migrate/import/import_run.h"
#include "migrate/import/source.h"
#include "migrate/import/source_survey.h"

namespace turnlog {

class SourceImport {
 public:
  // `source` must outlive it.
  SourceImport(ImportRun& run, const Format& format, Source& source)
      : run_(run), format_(format), source_(source), path_(source.path.string()) {}

  // Fails if the log fails; problems of the source are in the report.
  Status Import();

 private:
  Result<std::uint64_t> CountUnchanged();
  Result<bool> IsUnchanged(const ConversationId& id);
  std::unique_ptr<SourceReader> Open();
  Status Pass();
  Status Take(const SourceEvent& event);
  Status TakeEmpty(std::string_view conversation);
  Status Flush(Hash128 key, SurveyedConversation& surveyed);
  ConversationImport& Begin(Hash128 key, std::string_view conversation, const SurveyedConversation& surveyed);
  void Defer(Hash128 key, SurveyedConversation& surveyed);
  void ReportBytes();
  void FailSource(std::string reason);

  ImportRun& run_;
  const Format& format_;
  Source& source_;
  const std::string path_;
  std::string fingerprint_;
  SourceSurvey survey_;
  std::unordered_map<Hash128, std::unique_ptr<ConversationImport>> open_;  // in progress
  std::size_t waiting_bytes_ = 0;
  bool again_ = false;  // a conversation was deferred to another pass
};

}  // namespace turnlog
