// Imports one source: checks all of it or what is new in it, and then appends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "migrate/format.h"
#include "migrate/import/conversation_import.h"
#include "migrate/import/import_run.h"
#include "migrate/import/kept_items.h"
#include "migrate/import/secret_search.h"
#include "migrate/import/source_survey.h"
#include "migrate/logged/copied_history.h"
#include "migrate/logged/logged_lines.h"
#include "migrate/logged/source_history.h"
#include "migrate/sources/source.h"

namespace turnlog {

class ReportedSoFar;

class SourceImport {
 public:
  // `source` must outlive it.
  SourceImport(ImportRun& run, const Format& format, Source& source)
      : run_(run),
        format_(format),
        source_(source),
        path_(source.path.string()),
        history_(run.log(), format, source, run.redacts_secrets()) {}

  // Fails if the log fails; problems of the source are in the report.
  Status Import();
  // Not all of it is in the log, because it is being written (ImportRun::may_postpone): to be imported again later.
  bool postponed() const { return postponed_; }

 private:
  bool RefreshFiles();
  Status ImportBesideOthers();
  std::string OnlyConversation() const;
  Status ImportChanged();
  Result<bool> ImportRest();
  Result<bool> ImportLines();
  Status ImportWhole();
  void ReadFromBeginning(const ReportedSoFar& said);
  bool IsBeingWritten(const ReportedSoFar& said);
  Result<std::uint64_t> CountSame();
  Result<bool> IsSame(const ConversationId& id);
  Status Survey();
  void ReportDamage();
  Status Append();
  std::unique_ptr<SourceReader> Open();
  std::unique_ptr<SourceReader> WithoutSecretAnswers(std::unique_ptr<SourceReader> reader);
  bool DependsOnLog() const;
  std::unique_ptr<SourceReader> Again(bool kept);
  std::unique_ptr<SourceReader> Grown(std::unique_ptr<SourceReader> reader);
  Status Pass(SourceReader& reader);
  Status Take(SourceEvent&& event);
  Status TakeEmpty(std::string_view conversation);
  Status Flush(Hash128 key, SurveyedConversation& surveyed);
  Status FlushLargest();
  void NoteHead(Hash128 key, Seq last);
  std::optional<LinesState> LinesAfter() const;
  Status Remember(Hash128 key, const ConversationImport& import, const SurveyedConversation& surveyed);
  ConversationImport& Begin(Hash128 key, std::string_view conversation, const SurveyedConversation& surveyed);
  std::shared_ptr<RedactedValues> RedactedInFamily(std::string_view conversation, const ImportRecord& record);
  bool MayRestart(std::string_view conversation) const;
  std::uint64_t LackingBefore(std::string_view conversation) const;
  ImportRecord RecordOf(std::string_view conversation, bool redacted, std::map<std::string, std::string> parts) const;
  void Defer(SurveyedConversation& surveyed);
  SurveyedBytes BytesBefore() const;
  void ReportBytes();
  std::uint64_t BytesRead() const;
  void FailSource(const Error& error);

  ImportRun& run_;
  const Format& format_;
  Source& source_;
  const std::string path_;
  SourceHistory history_;
  std::string fingerprint_;                         // empty: not all of the source is read
  std::optional<SourceRest> rest_;                  // if not all of the source is read
  std::optional<SourceHistory::KnownLines> lines_;  // if only further lines are read
  std::optional<LoggedLines> logged_lines_;         // if so
  LinesHeads heads_;                                // of all lines of the file
  SourceSurvey survey_;
  std::unique_ptr<KeptItems> kept_;
  std::unordered_map<Hash128, std::unique_ptr<ConversationImport>> open_;  // in progress
  std::size_t waiting_bytes_ = 0;
  bool again_ = false;             // a conversation was deferred to another pass
  bool postponed_ = false;         // something was
  std::optional<Error> conflict_;  // another import appended to a conversation
  std::optional<CopiedHistory> copied_;
  std::optional<SourceSecrets> secrets_;  // if they are to be redacted
  bool surveyed_ = false;
  bool asks_for_secrets_ = false;  // some question that was surveyed does
  std::string family_;             // the conversation that the last one belongs to, or it itself
  std::shared_ptr<RedactedValues> redacted_in_family_;
  bool readable_ = true;  // nothing prevented reading but the contents
};

}  // namespace turnlog
