// Appends what was surveyed of a source, in one pass or more.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/free_memory.h"
#include "base/printable.h"
#include "base/try.h"
#include "base/utf8.h"
#include "migrate/import/source_import.h"

namespace turnlog {
namespace {

// The name with the folder around it, if that is significant.
std::string RecordedName(const Format& format, const Source& source) {
  const bool hidden = !source.folder.empty() && source.folder == format.import.hidden_folder;
  const std::string name = hidden ? source.folder + "/" + source.name : source.name;
  return IsUtf8(name) ? name : Printable(name);
}

}  // namespace

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
  return history_.logged().status();
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
  ImportProblem problem = At(import.refusal().location(), {import.refusal().code()});
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

}  // namespace turnlog
