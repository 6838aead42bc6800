#include "migrate/import/source_import.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/try.h"
#include "migrate/import/reported_so_far.h"
#include "migrate/sources/database_companions.h"

namespace turnlog {

Status SourceImport::Import() {
  ImportReport& report = run_.report();
  for (SourceFile& file : source_.files) file.SetBeingWritten(run_.may_postpone);
  if (const auto known = TURNLOG_TRY(history_.FindUnchanged())) {
    report.unchanged += known->imported;
    report.failed += known->failed;
    if (!known->problem.empty()) report.problems.push_back(At({path_}, {known->code, WhyAgain(*known)}));
    return {};
  }
  const auto imported = [&] { return report.added + report.extended + report.unchanged; };
  const std::uint64_t imported_before = imported(), failed_before = report.failed;
  const std::size_t problems_before = report.problems.size();
  if (RefreshFiles()) TURNLOG_TRY(ImportBesideOthers());
  report.bytes_read += BytesRead();
  if (!readable_ || postponed_) return {};
  const std::uint64_t failed = report.failed - failed_before;
  ImportReason problem = ToRepeat(std::span(report.problems).subspan(problems_before), failed > 0);
  return history_.SaveOutcome(imported() - imported_before, failed, std::move(problem), OnlyConversation(),
                              failed == 0 ? LinesAfter() : std::nullopt);
}

// Whether it can be read.
bool SourceImport::RefreshFiles() {
  if (format_.import.companion_files == nullptr) return true;
  const auto refreshed = RefreshCompanions(source_);
  if (!refreshed) return FailSource(refreshed.error()), false;
  if (*refreshed) history_.TakeStamps();
  return true;
}

// The conversation of the source, if there is only one; its files may not have been read.
std::string SourceImport::OnlyConversation() const {
  if (lines_) return {};  // the lines before may have others
  return source_.conversation.empty() ? survey_.only() : source_.conversation;
}

// Begins again when another import of this log has appended to one of the conversations: what it has imported is then
// found there. Each time one of the two has got further.
Status SourceImport::ImportBesideOthers() {
  constexpr int kAttempts = 20;
  ImportReport& report = run_.report();
  const std::uint64_t appended_before = report.added + report.extended;
  const std::uint64_t unchanged = report.unchanged, failed = report.failed;
  const ReportedSoFar said(report);
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    conflict_.reset();
    const std::uint64_t appended = report.added + report.extended - appended_before;
    TURNLOG_TRY(ImportChanged());
    report.unchanged -= std::min(report.unchanged - unchanged, appended);  // in an earlier attempt
    if (!conflict_) return {};
    report.unchanged = unchanged;
    report.failed = failed;
    ReadFromBeginning(said);
  }
  return FailSource({ErrorCode::kBusy, conflict_->message}), Status();
}

// Takes back what was said of the source since then: all of it is read.
void SourceImport::ReadFromBeginning(const ReportedSoFar& said) {
  said.Return(run_.report());
  rest_.reset();
  lines_.reset();
  history_.Forget();
}

Status SourceImport::ImportChanged() {
  survey_ = SourceSurvey();
  if (TURNLOG_TRY(format_.import.read_on != nullptr ? ImportLines() : ImportRest())) return {};
  survey_ = SourceSurvey();
  heads_ = {};
  return ImportWhole();
}

Status SourceImport::ImportWhole() {
  const std::uint64_t same = TURNLOG_TRY(CountSame());
  if (same > 0) {
    run_.report().unchanged += std::max(same, TURNLOG_TRY(history_.CountImported()));
    return {};
  }
  copied_ = TURNLOG_TRY(FindCopiedHistory(run_.log(), format_, source_));
  if (copied_ && !copied_->missing) history_.logged().AddCopied(copied_->conversation);
  const ReportedSoFar said(run_.report());
  const Status surveyed = Survey();
  TURNLOG_TRY(history_.logged().status());
  if (IsBeingWritten(said)) return {};
  if (!surveyed) return FailSource(surveyed.error()), Status();
  if (format_.import.records && fingerprint_.empty()) {
    auto fingerprint = Fingerprint(source_);
    if (!fingerprint) return FailSource(fingerprint.error()), Status();
    fingerprint_ = *std::move(fingerprint);
  }
  run_.report().failed += survey_.refused();
  return Append();
}

// Whether a document has no end yet, or a file of it is no JSON, which its tool may be writing: it is postponed, and
// what was said of it taken back.
bool SourceImport::IsBeingWritten(const ReportedSoFar& said) {
  const bool is_damaged = survey_.has_damage() && source_.path.extension() == ".json";
  const bool has_no_end = said.HasSince(run_.report(), ImportProblemCode::kIncomplete);
  postponed_ = run_.may_postpone && (is_damaged || has_no_end);
  if (postponed_) said.Return(run_.report());
  return postponed_;
}

// The number of the source's conversations if its bytes are those that were imported before; does not parse them.
Result<std::uint64_t> SourceImport::CountSame() {
  if (!format_.import.records || format_.import.conversations_of == nullptr) return 0;
  const std::vector<ConversationId> ids = format_.import.conversations_of(source_);
  for (const ConversationId& id : ids) {
    if (!TURNLOG_TRY(IsSame(id))) return 0;
  }
  return ids.size();
}

Result<bool> SourceImport::IsSame(const ConversationId& id) {
  const Seq last = TURNLOG_TRY(LastSeq(run_.log(), id));
  const auto imports = FindImports(run_.log(), id, last);
  if (!imports || !*imports) return false;  // damage is reported when it matters
  const ImportRecord& known = (*imports)->last;
  if (known.format != format_.name || known.fingerprint.empty()) return false;
  if (fingerprint_.empty()) {
    auto fingerprint = Fingerprint(source_);
    if (!fingerprint) return false;  // the survey reports it
    fingerprint_ = *std::move(fingerprint);
  }
  return known.fingerprint == fingerprint_ && TURNLOG_TRY(IsComplete(run_.log(), id, **imports, last));
}

// Reads all that is to be imported, and keeps it if it fits into memory.
Status SourceImport::Survey() {
  std::uint64_t size = 0;
  for (const SourceFile& file : source_.files) size += file.size();
  kept_ = std::make_unique<KeptItems>(run_.limits.kept_bytes, size);
  secrets_.reset();
  surveyed_ = asks_for_secrets_ = false;
  if (run_.redacts_secrets()) secrets_.emplace(run_.secrets());
  const std::uint64_t before = BytesRead();
  auto reader = Grown(secrets_ ? LookForSecrets(Open(), *secrets_) : Open());
  const std::size_t notes = run_.report().notes.size(), problems = run_.report().problems.size();
  const Status status = survey_.Read(*reader, run_.report(), *kept_);
  if (run_.may_postpone) run_.report().notes.resize(notes);  // what is incomplete is being written
  reader.reset();                                            // it may read on after an error
  surveyed_ = true;
  for (ImportProblem& problem : std::span(run_.report().problems).subspan(problems)) {
    if (problem.file.empty()) problem.file = path_;
  }
  if (status) ReportDamage();
  run_.report().bytes_parsed += BytesRead() - before;
  if (!survey_.answers().empty()) {
    if (!secrets_) secrets_.emplace(nullptr);
    secrets_->AddAnswers(survey_.answers());
  }
  // All of it is read again next time: the same value is then found and removed in the same places.
  if (secrets_ && secrets_->found()) survey_.MarkRedacted();
  return status;
}

// Of what cannot be decompressed; that of lines and documents is found by their readers.
void SourceImport::ReportDamage() {
  for (const SourceFile& file : source_.files) {
    if (std::string damage = file.damage(); !damage.empty()) {
      run_.report().problems.push_back(At({file.path().native()}, {ImportProblemCode::kIncomplete, std::move(damage)}));
    }
  }
}

// Of what is not read again.
SurveyedBytes SourceImport::BytesBefore() const {
  SurveyedBytes bytes;
  if (lines_) return lines_->state.file.bytes;
  if (!rest_) return bytes;
  for (const auto& [conversation, file] : history_.skipped()) {
    bytes += file.bytes;
    bytes.kept_raw += file.trailer;
  }
  for (const auto& [conversation, continued] : history_.continued()) bytes += continued.file.bytes;
  return bytes;
}

void SourceImport::ReportBytes() {
  ImportedBytes bytes{.source = path_};
  for (const SourceFile& file : source_.files) bytes.size += rest_ || lines_ ? history_.SizeOf(file) : file.size();
  const SurveyedBytes before = BytesBefore();
  if (const auto rows = survey_.source_size()) bytes.size = *rows + before.imported + before.kept_raw;
  SurveyedBytes sum = survey_.bytes();
  sum += before;
  bytes.imported = sum.imported;
  // In turnlog's own form, unknown kinds are events like all others.
  (format_.import.records ? bytes.kept_raw : bytes.imported) += sum.kept_raw;
  bytes.unreadable = bytes.size - bytes.imported - bytes.kept_raw;
  run_.report().bytes.push_back(std::move(bytes));
}

std::uint64_t SourceImport::BytesRead() const {
  std::uint64_t read = 0;
  for (const SourceFile& file : source_.files) read += file.bytes_read();
  return read;
}

void SourceImport::FailSource(const Error& error) {
  // What else prevents reading is in the contents, and does not go away by itself.
  readable_ &= error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kCorruption;
  run_.Fail(At({path_}, WhyUnreadable(error)));
}

}  // namespace turnlog
