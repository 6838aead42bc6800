#include "migrate/logged/source_history.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "base/try.h"
#include "migrate/logged/copied_history.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/sealed_state.h"
#include "migrate/logged/stored_events.h"

namespace turnlog {
namespace {

Result<std::optional<ImportRecord>> ReadRecord(Log& log, const ConversationId& conversation, Seq seq) {
  if (seq.value == 0) return std::nullopt;
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, seq));
  const auto event = TURNLOG_TRY(stored.Next());
  if (!event || event->seq != seq || event->redacted || event->erased) return std::nullopt;
  return ReadImportEvent(event->event);
}

}  // namespace

const Format* FindKnownFormat(Log& log, const std::filesystem::path& path) {
  const auto outcome = FindOutcome(log, path);
  const auto now = StampOf(path, true);
  if (!outcome || !*outcome || !now) return nullptr;
  const bool same = now->device == (*outcome)->device && now->inode == (*outcome)->inode;
  return same && now->size >= (*outcome)->size ? FindFormat((*outcome)->format) : nullptr;
}

SourceHistory::SourceHistory(Log& log, const Format& format, Source& source, bool without_secrets)
    : log_(log), format_(format), source_(source), without_secrets_(without_secrets), logged_(log) {
  TakeStamps();
}

void SourceHistory::TakeStamps() {
  stamps_.clear();
  for (const SourceFile& file : source_.files) {
    const auto stamp = file.Stamp();
    if (!stamp || !*stamp) {
      stamps_.clear();
      return;
    }
    stamps_[&file] = **stamp;
  }
}

// Zero unless a change of any of them would be noticed.
Hash128 SourceHistory::StampOf(const std::vector<const SourceFile*>& files) const {
  std::string all;
  for (const SourceFile* file : files) {
    const auto stamp = stamps_.find(file);
    if (stamp == stamps_.end() || !stamp->second.settled) return {};
    AppendText(all, file->name());
    AppendStamp(stamp->second, all);
  }
  return HashId(all, files.size());
}

Hash128 SourceHistory::StampOfAll() const {
  std::vector<const SourceFile*> files;
  for (const SourceFile& file : source_.files) files.push_back(&file);
  return StampOf(files);
}

Result<std::optional<SourceOutcome>> SourceHistory::FindUnchanged() {
  const Hash128 stamp = StampOfAll();
  if (stamp == Hash128{}) return std::nullopt;
  auto outcome = TURNLOG_TRY(FindOutcome(log_, source_.path));
  const bool same = outcome && outcome->format == format_.name && outcome->revision == format_.import.revision &&
                    outcome->stamp == stamp;
  // What differs from the log with its secrets may not differ without them, and the other way round.
  if (same && outcome->failed > 0 && outcome->without_secrets != without_secrets_) return std::nullopt;
  return same ? std::move(outcome) : std::nullopt;
}

Result<std::uint64_t> SourceHistory::CountImported() {
  const auto outcome = TURNLOG_TRY(FindOutcome(log_, source_.path));
  return outcome && outcome->format == format_.name ? outcome->imported : 0;
}

// Whether an earlier import by this format has imported something.
Result<bool> SourceHistory::HasComeIn() {
  const auto outcome = TURNLOG_TRY(FindOutcome(log_, source_.path));
  return outcome && outcome->format == format_.name && outcome->inode != 0;
}

Status SourceHistory::SaveOutcome(std::uint64_t imported, std::uint64_t failed, ImportReason problem, std::string only,
                                  const std::optional<LinesState>& lines) {
  const auto own = stamps_.empty() ? std::nullopt : std::optional(turnlog::StampOf(source_.path, true));
  if (!own || !*own) return {};
  const bool is_file = source_.files.front().path() == source_.path;
  const bool fits = !source_.format_given || imported > 0 || TURNLOG_TRY(HasComeIn());
  return turnlog::SaveOutcome(log_, source_.path,
                              {.format = std::string(format_.name),
                               .revision = format_.import.revision,
                               .stamp = StampOfAll(),
                               .device = (*own)->device,
                               .inode = fits ? (*own)->inode : 0,
                               .size = is_file ? stamps_.at(&source_.files.front()).size : 0,
                               .imported = imported,
                               .failed = failed,
                               .without_secrets = without_secrets_,
                               .code = problem.code,
                               .problem = std::move(problem.text),
                               .conversation = std::move(only),
                               .lines = lines ? TURNLOG_TRY(Seal(log_, EncodeLines(*lines))) : std::string()});
}

Result<std::optional<SourceHistory::KnownLines>> SourceHistory::PlanLines() {
  if (format_.import.read_on == nullptr || stamps_.empty()) return std::nullopt;
  auto outcome = TURNLOG_TRY(FindOutcome(log_, source_.path));
  const bool same = outcome && outcome->format == format_.name && outcome->revision == format_.import.revision;
  if (!same || outcome->failed > 0 || outcome->lines.empty()) return std::nullopt;
  const auto bytes = TURNLOG_TRY(Unseal(log_, outcome->lines));
  auto state = bytes ? DecodeLines(*bytes) : std::nullopt;
  SourceFile& file = source_.files.front();
  if (!state || !HasOnlyGrown(file, state->file)) return file.ContinueDigest({}), std::nullopt;
  const FileStamp& now = stamps_.at(&file);
  state->file.device = now.device;
  state->file.inode = now.inode;
  return KnownLines{*std::move(state), *std::move(outcome)};
}

Result<std::optional<SourceRest>> SourceHistory::PlanRest() {
  if (format_.import.record_files == nullptr || stamps_.empty()) return std::nullopt;
  const auto outcome = TURNLOG_TRY(FindOutcome(log_, source_.path));
  if (outcome && outcome->format == format_.name) source_.conversation = source_.earlier = outcome->conversation;
  std::vector<RecordFile> files = format_.import.record_files(source_);
  bool known = false;
  for (RecordFile& file : files) {
    const Plan plan = TURNLOG_TRY(PlanFile(file));
    if (plan == Plan::kImpossible) return Forget(), std::nullopt;
    known |= plan != Plan::kFromBeginning;
  }
  if (!known) return Forget(), std::nullopt;
  return SourceRest(std::move(files));
}

Result<SourceHistory::Plan> SourceHistory::PlanFile(RecordFile& file) {
  const auto id = ConversationId::Parse(file.conversation);
  if (!id || continued_.contains(file.conversation) || skipped_.contains(file.conversation)) return Plan::kImpossible;
  if (file.rows) return PlanRows(file, *id);
  const auto known = TURNLOG_TRY(FindSourceState(log_, *id));
  const bool resumable = known && IsCurrent(known->state) && known->state.file && known->state.file->reader;
  logged_.Add(*id, resumable ? UnlistedIds(*known->state.file->reader) : std::vector<std::uint64_t>());
  if (known) return PlanKnown(file, *known);
  return TURNLOG_TRY(LastSeq(log_, *id)).value == 0 ? Plan::kFromBeginning : Plan::kImpossible;
}

// Whether its reader went on as those of this version do.
bool SourceHistory::IsCurrent(const SourceState& state) const { return state.revision == format_.import.revision; }

// Rows that may have changed are all read and compared with the log, and so are those of which an earlier revision of
// the reader may have taken less. Another database may have other rows under the same names and numbers.
Result<SourceHistory::Plan> SourceHistory::PlanRows(RecordFile& file, const ConversationId& id) {
  const auto known = TURNLOG_TRY(FindSourceState(log_, id));
  if (!known || !known->state.file || known->state.format != format_.name) return Plan::kFromBeginning;
  const FileStamp& now = stamps_.at(file.file);
  const bool same_file = now.device == known->state.file->device && now.inode == known->state.file->inode;
  if (!same_file) elsewhere_.insert(file.conversation);
  const bool same =
      same_file && file.version != Hash128{} && known->state.version == file.version && IsCurrent(known->state);
  if (!same) return Plan::kFromBeginning;
  file.skipped = true;
  skipped_.emplace(file.conversation, *known->state.file);
  return Plan::kSkip;
}

Result<SourceHistory::Plan> SourceHistory::PlanKnown(RecordFile& file, const KnownSource& known) {
  const ConversationId id = ConversationId::Parse(file.conversation).value();
  const SourceState& state = known.state;
  if (state.format != format_.name || !state.file) return Plan::kImpossible;
  std::vector<const SourceFile*> own = file.part_files;
  const Hash128 parts = StampOf(own);
  own.push_back(file.file);
  const Hash128 stamp = StampOf(own);
  const bool same = stamp != Hash128{} && stamp == state.own_stamp;
  if (!same && (parts == Hash128{} || parts != state.parts_stamp)) return Plan::kImpossible;
  if (!same && !HasOnlyGrown(*file.file, *state.file)) return Plan::kImpossible;
  if (same || stamps_.at(file.file).size == state.file->size) {
    file.skipped = true;
    skipped_.emplace(file.conversation, *state.file);
    unchanged_.emplace_back(id, known).second.state.own_stamp = stamp;
    return Plan::kSkip;
  }
  if (IsCurrent(state) ? !state.file->reader : !file.lists.empty() || file.is_record || file.is_text) {
    return Plan::kImpossible;
  }
  return TURNLOG_TRY(Continue(file, id, known)) ? Plan::kContinue : Plan::kImpossible;
}

// Whether the file still begins with what was read: if it is the same file and longer, its last bytes prove that
// (docs/formats/import.md); otherwise all of it is compared. Not if it cannot be read: that is found again, and
// reported, when it is read as a whole.
bool SourceHistory::HasOnlyGrown(SourceFile& file, const FileState& known) const {
  const FileStamp& now = stamps_.at(&file);
  if (now.size < known.size) return false;
  const bool appended = now.device == known.device && now.inode == known.inode && now.size > known.size;
  if (!appended) {
    file.ContinueDigest({});
    return file.DigestUpTo(known.size) && file.digest().size() == known.size && file.digest().Value() == known.digest;
  }
  const std::uint64_t blocks = known.size / PrefixDigest::kBlock;
  const std::uint64_t from = blocks == 0 ? 0 : (blocks - 1) * PrefixDigest::kBlock;
  std::string tail(known.size - from, '\0');
  if (file.ReadAt(from, tail).value_or(0) < tail.size() || Hash64(tail) != known.tail) return false;
  const std::size_t last = blocks * PrefixDigest::kBlock - from;
  PrefixDigest digest(blocks, known.chain, std::string_view(tail).substr(0, last));
  digest.Add(std::string_view(tail).substr(last));
  file.ContinueDigest(std::move(digest));
  return true;
}

Result<bool> SourceHistory::Continue(RecordFile& file, const ConversationId& id, const KnownSource& known) {
  const ConversationInfo info = TURNLOG_TRY(log_.Info(id));
  auto record = TURNLOG_TRY(ReadRecord(log_, id, known.state.record));
  if (!record || !TURNLOG_TRY(HasOnlyRepairsSince(log_, id, known.head))) return false;
  if (const auto copied = ConversationId::Parse(record->Part(kResumedFromPart))) logged_.AddCopied(*copied);
  file.keeps_copies = record->HasPart(kOriginMissingPart);
  const FileState& state = *known.state.file;
  file.start = RecordStart{state.offset, state.line, state.reader.value_or(std::string()), !IsCurrent(known.state)};
  continued_.emplace(file.conversation,
                     ContinuedConversation{info.last, known.state.record, *std::move(record), state});
  return true;
}

// The files are read from their beginnings.
void SourceHistory::Forget() {
  continued_.clear();
  skipped_.clear();
  unchanged_.clear();
  logged_.Clear();
  source_.conversation.clear();
  for (SourceFile& file : source_.files) file.ContinueDigest({});
}

std::uint64_t SourceHistory::SizeOf(const SourceFile& file) const {
  const auto stamp = stamps_.find(&file);
  return file.size() > 0 || stamp == stamps_.end() ? file.size() : stamp->second.size;
}

Status SourceHistory::Save(const ConversationId& conversation, const ImportedConversation& imported,
                           const std::optional<SourceResumePoint>& point, SurveyedBytes bytes) {
  if (stamps_.empty()) return {};
  SourceState state{.format = std::string(format_.name), .revision = format_.import.revision};
  state.record = imported.record;
  state.lacking = imported.lacking;
  if (imported.exact && point) {
    std::vector<const SourceFile*> own = point->part_files;
    state.parts_stamp = StampOf(own);
    own.push_back(point->file);
    state.own_stamp = StampOf(own);
    state.file = StateOf(*point, bytes);
    // Rows that change at the time at which they are read may have the same version then.
    if (StampOfAll() != Hash128{}) state.version = point->version;
  }
  return SaveSourceState(log_, conversation, imported.last, state);
}

// Nothing if not all of the file was read as it is.
std::optional<FileState> SourceHistory::StateOf(const SourceResumePoint& point, SurveyedBytes bytes) const {
  const SurveyedBytes before{bytes.imported, bytes.kept_raw - point.trailer};
  const SourceFile& file = *point.file;
  const auto stamp = stamps_.find(&file);
  if (point.version != Hash128{} && stamp != stamps_.end()) {
    return FileState{.device = stamp->second.device,
                     .inode = stamp->second.inode,
                     .bytes = before,
                     .trailer = point.trailer,
                     .reader = {}};
  }
  const PrefixDigest& digest = file.digest();
  if (stamp == stamps_.end() || digest.size() != file.size() || !file.is_raw()) return std::nullopt;
  return FileState{.device = stamp->second.device,
                   .inode = stamp->second.inode,
                   .size = digest.size(),
                   .chain = digest.chain(),
                   .digest = digest.Value(),
                   .tail = Hash64(digest.tail()),
                   .bytes = before,
                   .trailer = point.trailer,
                   .offset = point.offset,
                   .line = point.line,
                   .reader = point.reader};
}

Status SourceHistory::SaveSkipped() {
  for (const auto& [id, known] : unchanged_) TURNLOG_TRY(SaveSourceState(log_, id, known.head, known.state));
  return {};
}

const ContinuedConversation* SourceHistory::FindContinued(std::string_view conversation) const {
  const auto found = continued_.find(conversation);
  return found == continued_.end() ? nullptr : &found->second;
}

}  // namespace turnlog
