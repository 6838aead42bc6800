// A source that has more than when it was imported: only that is read.
#include <algorithm>
#include <optional>

#include "base/try.h"
#include "migrate/import/reported_so_far.h"
#include "migrate/import/source_import.h"

namespace turnlog {

// Imports the lines that the file has more than before. False, and nothing is changed: that is not possible.
Result<bool> SourceImport::ImportLines() {
  lines_ = TURNLOG_TRY(history_.PlanLines());
  if (!lines_) return false;
  heads_ = lines_->state.heads;
  logged_lines_.emplace(run_.log(), lines_->state.heads);
  const ReportedSoFar said(run_.report());
  const Status surveyed = Survey();
  TURNLOG_TRY(logged_lines_->status());
  if (!surveyed || survey_.refused() > 0) return ReadFromBeginning(said), false;
  run_.report().unchanged += lines_->outcome.imported - logged_lines_->grown();
  logged_lines_->MarkRead();
  TURNLOG_TRY(Append());
  return true;
}

void SourceImport::NoteHead(Hash128 key, Seq last) {
  if (format_.import.read_on != nullptr) heads_.Set(key, last);
}

// Nothing: the file has to be read as a whole when it has grown.
std::optional<LinesState> SourceImport::LinesAfter() const {
  const auto point = survey_.FindExtras(SourceSurvey::KeyOf({})).resume;
  if (format_.import.read_on == nullptr || !point || survey_.redacted() || heads_.too_many()) return std::nullopt;
  SurveyedBytes bytes = survey_.bytes();
  if (lines_) bytes += lines_->state.file.bytes;
  auto file = history_.StateOf(*point, bytes);
  return file ? std::optional(LinesState{*std::move(file), heads_}) : std::nullopt;
}

// Imports what the files have more than before. False, and nothing is changed: that is not possible.
Result<bool> SourceImport::ImportRest() {
  rest_ = TURNLOG_TRY(history_.PlanRest());
  if (!rest_) return false;
  const std::size_t unchanged = history_.skipped().size();
  if (unchanged == rest_->files()) {
    run_.report().unchanged += std::max<std::uint64_t>(unchanged, TURNLOG_TRY(history_.CountImported()));
    TURNLOG_TRY(history_.SaveSkipped());
    return true;
  }
  const ReportedSoFar said(run_.report());
  const Status surveyed = Survey();
  TURNLOG_TRY(history_.logged().status());
  if (IsBeingWritten(said)) return true;
  if (!surveyed || survey_.refused() > 0) return ReadFromBeginning(said), false;
  run_.report().unchanged += unchanged;
  TURNLOG_TRY(Append());
  TURNLOG_TRY(history_.SaveSkipped());
  return true;
}

}  // namespace turnlog
