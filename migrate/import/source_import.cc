#include "migrate/import/source_import.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/free_memory.h"
#include "base/printable.h"
#include "base/try.h"
#include "base/utf8.h"
#include "migrate/import/reported_so_far.h"
#include "migrate/sources/database_companions.h"

namespace turnlog {
namespace {

// The name with the folder around it, if that is significant.
std::string RecordedName(const Format& format, const Source& source) {
  const bool hidden = !source.folder.empty() && source.folder == format.import.hidden_folder;
  const std::string name = hidden ? source.folder + "/" + source.name : source.name;
  return IsUtf8(name) ? name : Printable(name);
}

}  // namespace

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
  const auto settled = RefreshCompanions(source_);
  if (!settled) return FailSource(settled.error()), false;
  if (*settled) history_.TakeStamps();
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
  TURNLOG_TRY(Append());
  return history_.logged().status();
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

Status SourceImport::Append() {
  bool kept = kept_->all();
  if (!kept) ReturnFreeMemory();  // of what was kept before it was too much
  do {
    again_ = false;
    survey_.ForgetDeferred();
    const std::uint64_t before = BytesRead();
    TURNLOG_TRY(Pass(*Again(kept)));
    kept = false;  // they can be replayed once
    run_.report().bytes_parsed += BytesRead() - before;
  } while (again_);
  ReportBytes();
  return {};
}

Status SourceImport::Pass(SourceReader& reader) {
  for (;;) {
    auto item = reader.Next();
    if (!item) {
      FailSource(item.error());
      break;
    }
    if (std::holds_alternative<EndOfSource>(*item)) {
      if (!open_.empty()) FailSource({ErrorCode::kBusy, "has changed during the import; import it again"});
      break;
    }
    if (auto* event = std::get_if<SourceEvent>(&*item)) TURNLOG_TRY(Take(std::move(*event)));
    if (const auto* part = std::get_if<SourcePart>(&*item)) TURNLOG_TRY(TakeEmpty(part->conversation));
  }
  open_.clear();
  waiting_bytes_ = 0;
  return {};
}

Status SourceImport::Take(SourceEvent&& event) {
  const Hash128 key = SourceSurvey::KeyOf(event.conversation);
  SurveyedConversation* surveyed = survey_.Find(key);
  if (surveyed == nullptr || surveyed->refused || surveyed->done || surveyed->deferred) return {};
  if (open_.size() >= run_.limits.open && !open_.contains(key)) return Defer(*surveyed), Status();
  ConversationImport& import = Begin(key, event.conversation, *surveyed);
  waiting_bytes_ -= import.bytes();
  import.Add(std::move(event));
  waiting_bytes_ += import.bytes();
  if (import.complete() || import.bytes() >= run_.limits.append_bytes) return Flush(key, *surveyed);
  return waiting_bytes_ > run_.limits.waiting_bytes ? FlushLargest() : Status();
}

// Too much waits, of conversations that the source interleaves. Small ones go on to be one append. A little at a time,
// because what is read meanwhile waits, too.
Status SourceImport::FlushLargest() {
  std::vector<std::pair<std::size_t, Hash128>> waiting;
  for (const auto& [key, import] : open_) waiting.emplace_back(import->bytes(), key);
  std::ranges::sort(waiting, std::greater(), [](const auto& each) { return each.first; });
  for (const auto& [bytes, key] : waiting) {
    if (waiting_bytes_ <= run_.limits.waiting_bytes / 16 * 15) break;
    TURNLOG_TRY(Flush(key, *survey_.Find(key)));
  }
  return {};
}

// A conversation without events consists of its import record.
Status SourceImport::TakeEmpty(std::string_view conversation) {
  const Hash128 key = SourceSurvey::KeyOf(conversation);
  SurveyedConversation* surveyed = survey_.Find(key);
  if (surveyed == nullptr || surveyed->refused || surveyed->done || surveyed->events > 0) return {};
  Begin(key, conversation, *surveyed);
  return Flush(key, *surveyed);
}

ConversationImport& SourceImport::Begin(Hash128 key, std::string_view conversation,
                                        const SurveyedConversation& surveyed) {
  auto& import = open_[key];
  if (import) return *import;
  ConversationSource source{.format = &format_, .path = path_, .events = surveyed.events};
  if (secrets_) source.secrets = &*secrets_;
  source.may_restart = MayRestart(conversation);
  source.lacking = LackingBefore(conversation);
  if (format_.import.records) {
    SourceSurvey::Extras extras = survey_.FindExtras(key);
    source.record = RecordOf(conversation, surveyed.redacted, std::move(extras.parts));
    if (secrets_) source.record_secrets = secrets_->Redact(*source.record);
    source.record->revisions += extras.rows;
    source.redacted = RedactedInFamily(conversation, *source.record);
    source.notes = std::move(extras.notes);
    source.continued = history_.FindContinued(conversation);
  }
  // value() is safe: the survey refuses invalid ids.
  import = std::make_unique<ConversationImport>(run_, ConversationId::Parse(conversation).value(), std::move(source));
  return *import;
}

// A branch, a subgraph or a subagent follows the conversation that it belongs to, and may repeat its records: what was
// redacted there does not come back here.
std::shared_ptr<RedactedValues> SourceImport::RedactedInFamily(std::string_view conversation,
                                                               const ImportRecord& record) {
  const std::string_view family = record.HasPart(kParentPart) ? record.Part(kParentPart) : conversation;
  if (redacted_in_family_ == nullptr || family != family_) {
    family_ = family;
    redacted_in_family_ = std::make_shared<RedactedValues>();
  }
  return redacted_in_family_;
}

bool SourceImport::MayRestart(std::string_view conversation) const {
  const Restarts restarts = format_.import.restarts;
  return restarts == Restarts::kAnywhere || (restarts == Restarts::kInSameFile && !history_.IsElsewhere(conversation));
}

// What cannot be known counts as nothing.
std::uint64_t SourceImport::LackingBefore(std::string_view conversation) const {
  if (!format_.import.may_shrink) return 0;
  const auto known = FindSourceState(run_.log(), ConversationId::Parse(conversation).value());
  return known && *known ? (*known)->state.lacking : 0;
}

ImportRecord SourceImport::RecordOf(std::string_view conversation, bool redacted,
                                    std::map<std::string, std::string> parts) const {
  const ContinuedConversation* const continued = history_.FindContinued(conversation);
  if (continued != nullptr) {
    const std::map<std::string, std::string>& before = continued->record.parts;
    parts.insert(before.begin(), before.end());
  }
  return {.format = std::string(format_.name),
          .source = RecordedName(format_, source_),
          .events = 0,
          .fingerprint = redacted ? std::string() : fingerprint_,
          .redacted = false,
          .revisions = continued != nullptr ? continued->record.revisions : 0,
          .parts = std::move(parts)};
}

Status SourceImport::Flush(Hash128 key, SurveyedConversation& surveyed) {
  ConversationImport& import = *open_.at(key);
  waiting_bytes_ -= import.bytes();
  const Status status = import.Flush();
  if (status && !import.complete()) return {};
  if (status) TURNLOG_TRY(Remember(key, import, surveyed));
  surveyed.done = true;
  surveyed.refused = !status;
  ImportProblem problem = At(import.fault(), {import.fault_code()});
  if (problem.file.empty()) problem.file = path_;
  problem.conversation = import.id().text();
  open_.erase(key);
  if (!status && status.error().code == ErrorCode::kConflict) return conflict_ = status.error(), Status();
  return status ? status : run_.FailOrStop(std::move(problem), status.error());
}

Status SourceImport::Remember(Hash128 key, const ConversationImport& import, const SurveyedConversation& surveyed) {
  NoteHead(key, import.result().last);
  postponed_ |= import.postponed();
  if (!format_.import.records || import.postponed()) return {};
  ImportedConversation imported = import.result();
  imported.exact &= !surveyed.redacted;
  SurveyedBytes bytes = surveyed.bytes;
  if (const ContinuedConversation* continued = history_.FindContinued(import.id().text())) {
    bytes += continued->file.bytes;
  }
  return history_.Save(import.id(), imported, survey_.FindExtras(key).resume, bytes);
}

// Too many conversations are open: they continue, and the source is read again for this one.
void SourceImport::Defer(SurveyedConversation& surveyed) {
  surveyed.deferred = true;
  again_ = true;
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
