#include "migrate/sessions/record_session.h"

#include <algorithm>
#include <vector>

#include "base/try.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/quarantine.h"
#include "migrate/logged/stored_events.h"
#include "migrate/records/record_revision.h"
#include "migrate/records/record_source.h"
#include "migrate/records/record_writer.h"
#include "migrate/sessions/view_changes.h"

namespace turnlog {
namespace {

// What a record says; all other events only say what it means.
bool IsContents(const EventView& event) {
  return std::holds_alternative<ChatRequestView>(event.body) || std::holds_alternative<ChatResponseView>(event.body) ||
         std::holds_alternative<ToolCallRequestView>(event.body) ||
         std::holds_alternative<ToolCallResponseView>(event.body);
}

bool IsReasoning(const EventView& event) {
  const auto* response = std::get_if<ChatResponseView>(&event.body);
  return response != nullptr && response->part == ChatPart::kReasoning;
}

// Puts the events of the log together to records again, and each record to what the view makes of it.
class Records {
 public:
  Records(RecordSession& session, ViewChanges changes) : session_(session), changes_(std::move(changes)) {
    InsertAfter(0);
  }

  void Add(const StoredEvent& event, EventOrigin origin) {
    const std::uint64_t seq = event.seq.value;
    const bool shown = !event.erased && !changes_.absent.contains(seq);
    if (origin == EventOrigin::kRecord) return EndRecord();
    if (origin == EventOrigin::kImported && !event.erased && ReadRevision(event.event)) return;
    if (origin == EventOrigin::kOwn && in_record_ && !IsContents(event.event)) return seqs_.push_back(seq);
    if (origin == EventOrigin::kOwn) return AddOwn(event, shown);
    if (const auto quarantined = event.erased ? std::nullopt : ReadQuarantined(event.event)) {
      EndRecord();
      session_.AddBytes(quarantined->raw);
      return InsertAfter(seq);
    }
    if (event.event.source_text) BeginRecord();
    if (!in_record_) return AddOwn(event, shown);  // it has lost its record
    writer_.Add(event.event, bytes_);
    broken_ |= event.erased;
    if (IsContents(event.event)) AddContents(event, shown);
    seqs_.push_back(seq);
    if (!writer_.in_record()) EndRecord();
  }

  void EndRecord() {
    if (!in_record_) return;
    in_record_ = false;
    WriteRecord();
    for (const std::uint64_t seq : std::exchange(seqs_, {})) InsertAfter(seq);
  }

 private:
  void BeginRecord() {
    EndRecord();
    bytes_.clear(), shown_.clear(), cut_ = {};
    in_record_ = true;
    broken_ = false;
    contents_ = kept_ = 0;
  }

  void AddContents(const StoredEvent& event, bool shown) {
    const bool sealed = event.redacted && IsReasoning(event.event);
    ++contents_;
    if (shown && !sealed) ++kept_;
    if (shown && (broken_ || writer_.in_record())) shown_.push_back(Own(event.event));
    cut_.thinking |= sealed;
    const auto* result = std::get_if<ToolCallResponseView>(&event.event.body);
    if (!shown && result != nullptr) cut_.results.emplace(result->id);
  }

  void WriteRecord() {
    const std::size_t begin = std::min(bytes_.find_first_not_of(" \t\r\n"), bytes_.size());
    const auto record = JsonObject::Parse(std::string_view(bytes_).substr(begin));
    if (broken_ || (contents_ > 0 && kept_ == 0)) {
      if (record) session_.Drop(*record);
      if (!broken_) return;
      for (const Event& event : shown_) session_.Insert(View(event));
    } else if (record) {
      session_.Keep(std::string_view(bytes_).substr(0, begin), *record, cut_);
    } else {
      session_.AddBytes(bytes_);
    }
  }

  void AddOwn(const StoredEvent& event, bool shown) {
    EndRecord();
    if (shown && IsContents(event.event)) session_.Insert(event.event);
    InsertAfter(event.seq.value);
  }

  void InsertAfter(std::uint64_t seq) {
    const auto found = changes_.after.find(seq);
    if (found == changes_.after.end()) return;
    for (const Event& event : found->second) {
      if (IsContents(View(event))) session_.Insert(View(event));
    }
  }

  RecordSession& session_;
  const ViewChanges changes_;
  std::string bytes_;
  RecordWriter writer_;
  bool in_record_ = false, broken_ = false;  // broken: an event of the record was erased
  std::size_t contents_ = 0, kept_ = 0;
  std::vector<std::uint64_t> seqs_;
  std::vector<Event> shown_;  // needed if it is broken
  RecordCut cut_;
};

Result<std::optional<ImportHistory>> ImportsOf(Log& log, SessionTool tool, const ConversationId& conversation) {
  auto imports = TURNLOG_TRY(FindImports(log, conversation));
  if (imports && imports->last.format != ToString(tool)) imports.reset();
  return imports;
}

}  // namespace

Result<bool> HasRecordsOf(Log& log, SessionTool tool, const ConversationId& conversation) {
  if (tool != SessionTool::kClaude && tool != SessionTool::kCodexCli) return false;
  const auto imports = TURNLOG_TRY(ImportsOf(log, tool, conversation));
  // Documents have a header.
  return imports && !imports->last.HasPart(kHeaderPart);
}

Status ExportRecordSession(Log& log, SessionTool tool, const ConversationId& conversation, const ExportSink& sink,
                           ExportReport& report) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  const auto imports = TURNLOG_TRY(ImportsOf(log, tool, conversation));
  const auto session = tool == SessionTool::kClaude ? ClaudeRecordSession() : CodexRecordSession();
  Records records(*session, TURNLOG_TRY(FindViewChanges(log, conversation, tool == SessionTool::kClaude)));
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation));
  EventOrigins origins;
  std::string out;
  while (const auto event = TURNLOG_TRY(stored.NextIntact(report.damage))) {
    records.Add(*event, origins.Next(*event));
    out += session->Take();
    if (out.size() < kPiece) continue;
    TURNLOG_TRY(sink(out));
    out.clear();
  }
  records.EndRecord();
  session->Finish();
  out += session->Take();
  out += imports->last.Part(kTrailerPart);
  if (!out.ends_with('\n')) out.push_back('\n');
  return sink(out);
}

}  // namespace turnlog
