// What earlier imports have of a source: whether it has changed, and where its files can be read on.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/format.h"
#include "migrate/logged/import_record.h"
#include "migrate/logged/lines_state.h"
#include "migrate/logged/logged_records.h"
#include "migrate/logged/source_outcome.h"
#include "migrate/logged/source_rest.h"
#include "migrate/logged/source_state.h"
#include "migrate/records/record_source.h"
#include "migrate/sources/source.h"

namespace turnlog {

// A conversation as an import has left it.
struct ImportedConversation {
  Seq last, record;           // its last event, and its last import record
  bool exact = false;         // the log has all of the source as it is, and nothing of it was redacted
  std::uint64_t lacking = 0;  // records that the log has and the source does not
};

// A conversation that is imported from where its file ended.
struct ContinuedConversation {
  Seq last;  // in the log
  Seq record_seq;
  ImportRecord record;  // the last one, at that seq
  FileState file;
};

// The format in which the file or folder was imported, or refused, before; null: it was not, nothing came in by the one
// that the user chose, or it may be another one.
const Format* FindKnownFormat(Log& log, const std::filesystem::path& path);

class SourceHistory {
 public:
  // All must outlive it. Asks for the stamps of the files: to be made before they are read. `without_secrets`: they are
  // looked for and removed.
  SourceHistory(Log& log, const Format& format, Source& source, bool without_secrets);

  // What became of the source, if the file system says that nothing of it has changed since, and importing it again
  // would come to the same. Reads nothing of it.
  Result<std::optional<SourceOutcome>> FindUnchanged();
  // How many conversations the last import found in the source; zero if it is not known.
  Result<std::uint64_t> CountImported();
  // Remembers what became of it. `imported`, `failed`: conversations; `only`: the one that there is, or empty.
  // `lines`: where further lines of its file can be read, if they can.
  Status SaveOutcome(std::uint64_t imported, std::uint64_t failed, ImportReason problem, std::string only,
                     const std::optional<LinesState>& lines);

  // What is known of a file of lines that has only grown, or not changed; nothing if it must be read as a whole. As
  // PlanRest, in formats that read on.
  struct KnownLines {
    LinesState state;
    SourceOutcome outcome;
  };
  Result<std::optional<KnownLines>> PlanLines();
  // Of what was read: `bytes` of all of it.
  std::optional<FileState> StateOf(const SourceResumePoint& point, SurveyedBytes bytes) const;

  // What is new in the source; nothing if it must be read as a whole. Reads little of a file that has only grown, and
  // all of one that may have changed.
  Result<std::optional<SourceRest>> PlanRest();
  // Of PlanRest.
  const ContinuedConversation* FindContinued(std::string_view conversation) const;
  const std::map<std::string, ContinuedConversation, std::less<>>& continued() const { return continued_; }
  // What the log has of all these files.
  LoggedRecords& logged() { return logged_; }
  // Of PlanRest: whether the rows of the conversation were imported from another database before.
  bool IsElsewhere(std::string_view conversation) const { return elsewhere_.contains(conversation); }
  // The conversations whose files, or rows, have nothing new.
  const std::map<std::string, FileState, std::less<>>& skipped() const { return skipped_; }

  // Remembers how the conversation was imported. `point`: where its file can be read on; `bytes`: what became of it.
  Status Save(const ConversationId& conversation, const ImportedConversation& imported,
              const std::optional<SourceResumePoint>& point, SurveyedBytes bytes);
  // Of a file that may not have been read.
  std::uint64_t SizeOf(const SourceFile& file) const;
  // Remembers the new stamps of what was skipped.
  Status SaveSkipped();
  // REQUIRES: nothing is planned. The source has other files now.
  void TakeStamps();
  // The files are to be read from their beginnings.
  void Forget();

 private:
  enum class Plan : std::uint8_t { kSkip, kContinue, kFromBeginning, kImpossible };

  Hash128 StampOf(const std::vector<const SourceFile*>& files) const;
  Hash128 StampOfAll() const;
  Result<bool> HasComeIn();
  Result<Plan> PlanFile(RecordFile& file);
  Result<Plan> PlanRows(RecordFile& file, const ConversationId& id);
  Result<Plan> PlanKnown(RecordFile& file, const KnownSource& known);
  bool IsCurrent(const SourceState& state) const;
  bool HasOnlyGrown(SourceFile& file, const FileState& known) const;
  Result<bool> Continue(RecordFile& file, const ConversationId& id, const KnownSource& known);

  Log& log_;
  const Format& format_;
  Source& source_;
  const bool without_secrets_;
  std::map<const SourceFile*, FileStamp> stamps_;  // of its files; none: they are not remembered
  std::map<std::string, ContinuedConversation, std::less<>> continued_;
  std::map<std::string, FileState, std::less<>> skipped_;
  std::set<std::string, std::less<>> elsewhere_;
  std::vector<std::pair<ConversationId, KnownSource>> unchanged_;  // of skipped_
  LoggedRecords logged_;
};

}  // namespace turnlog
