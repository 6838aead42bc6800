#include "migrate/import/source_import.h"

#include <utility>

#include "base/try.h"
#include "migrate/import/secret_answers.h"

namespace turnlog {

namespace {

// The name with the folder around it, if that is significant.
std::string RecordedName(const Format& format, const Source& source) {
  const bool hidden = !source.folder.empty() && source.folder == format.import.hidden_folder;
  return hidden ? source.folder + "/" + source.name : source.name;
}

}  // namespace

Status SourceImport::Import() {
  if (format_.import.records) {
    auto fingerprint = Fingerprint(source_);
    if (!fingerprint) return FailSource(fingerprint.error().message), Status();
    fingerprint_ = *std::move(fingerprint);
    const std::uint64_t unchanged = TURNLOG_TRY(CountUnchanged());
    run_.report().unchanged += unchanged;
    if (unchanged > 0) return {};
  }
  const Status surveyed = survey_.Read(*Open(), run_.report().problems);
  if (!surveyed) return FailSource(surveyed.error().message), Status();
  run_.report().failed += survey_.refused();
  do {
    again_ = false;
    survey_.ForgetDeferred();
    TURNLOG_TRY(Pass());
  } while (again_);
  ReportBytes();
  return {};
}

// The number of the source's conversations if none of them has changed; does not parse the source.
Result<std::uint64_t> SourceImport::CountUnchanged() {
  if (format_.import.conversations_of == nullptr) return 0;
  const std::vector<ConversationId> ids = format_.import.conversations_of(source_);
  for (const ConversationId& id : ids) {
    if (!TURNLOG_TRY(IsUnchanged(id))) return 0;
  }
  return ids.size();
}

Result<bool> SourceImport::IsUnchanged(const ConversationId& id) {
  const Seq last = TURNLOG_TRY(run_.LastSeq(id));
  const auto imports = FindImports(run_.log(), id, last);
  if (!imports || !*imports) return false;  // damage is reported when it matters
  const ImportRecord& known = (*imports)->last;
  if (known.format != format_.name || known.fingerprint != fingerprint_) return false;
  return IsComplete(run_.log(), id, **imports, last);
}

std::unique_ptr<SourceReader> SourceImport::Open() {
  return std::make_unique<SecretAnswerFilter>(format_.import.read(source_));
}

Status SourceImport::Pass() {
  const auto reader = Open();
  for (;;) {
    const auto item = reader->Next();
    if (!item) {
      FailSource(item.error().message);
      break;
    }
    if (std::holds_alternative<EndOfSource>(*item)) {
      if (!open_.empty()) FailSource("has changed during the import; import it again");
      break;
    }
    if (const auto* event = std::get_if<SourceEvent>(&*item)) TURNLOG_TRY(Take(*event));
    if (const auto* part = std::get_if<SourcePart>(&*item)) TURNLOG_TRY(TakeEmpty(part->conversation));
  }
  open_.clear();
  waiting_bytes_ = 0;
  return {};
}

Status SourceImport::Take(const SourceEvent& event) {
  const Hash128 key = SourceSurvey::KeyOf(event.conversation);
  SurveyedConversation* surveyed = survey_.Find(key);
  if (surveyed == nullptr || surveyed->refused || surveyed->done || surveyed->deferred) return {};
  ConversationImport& import = Begin(key, event.conversation, *surveyed);
  waiting_bytes_ -= import.bytes();
  import.Add(event);
  waiting_bytes_ += import.bytes();
  const bool full = import.bytes() >= run_.limits.append_bytes;
  const bool crowded = waiting_bytes_ > run_.limits.waiting_bytes;
  if (import.complete() || full || (crowded && import.flushed())) return Flush(key, *surveyed);
  if (crowded && open_.size() > 1) Defer(key, *surveyed);
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
  ConversationSource source{.format = &format_, .path = path_, .events = surveyed.events, .record = {}, .notes = {}};
  if (format_.import.records) {
    SourceSurvey::Extras extras = survey_.FindExtras(key);
    source.record = ImportRecord{.format = std::string(format_.name),
                                 .source = RecordedName(format_, source_),
                                 .events = 0,
                                 .fingerprint = surveyed.redacted ? std::string() : fingerprint_,
                                 .redacted = false,
                                 .parts = std::move(extras.parts)};
    source.notes = std::move(extras.notes);
  }
  // value() is safe: the survey refuses invalid ids.
  import = std::make_unique<ConversationImport>(run_, ConversationId::Parse(conversation).value(), std::move(source));
  return *import;
}

Status SourceImport::Flush(Hash128 key, SurveyedConversation& surveyed) {
  ConversationImport& import = *open_.at(key);
  waiting_bytes_ -= import.bytes();
  const Status status = import.Flush();
  if (status && !import.complete()) return {};
  surveyed.done = true;
  surveyed.refused = !status;
  ImportProblem problem = At(import.fault(), {});
  if (problem.file.empty()) problem.file = path_;
  open_.erase(key);
  return status ? status : run_.FailOrStop(std::move(problem), status.error());
}

// Too many conversations are open: they continue, and the source is read again for this one.
void SourceImport::Defer(Hash128 key, SurveyedConversation& surveyed) {
  waiting_bytes_ -= open_.at(key)->bytes();
  open_.erase(key);
  surveyed.deferred = true;
  again_ = true;
}

void SourceImport::ReportBytes() {
  ImportedBytes bytes{.source = path_};
  for (const SourceFile& file : source_.files) bytes.size += file.size();
  bytes.imported = survey_.bytes().imported;
  // In turnlog's own form, unknown kinds are events like all others.
  (format_.import.records ? bytes.kept_raw : bytes.imported) += survey_.bytes().kept_raw;
  bytes.unreadable = bytes.size - bytes.imported - bytes.kept_raw;
  run_.report().bytes.push_back(std::move(bytes));
}

void SourceImport::FailSource(std::string reason) { run_.Fail({path_, {}, {}, {}, std::move(reason)}); }

}  // namespace turnlog
