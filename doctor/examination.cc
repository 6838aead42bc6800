#include "doctor/examination.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/count_lines.h"
#include "base/try.h"
#include "doctor/anthropic_blocks.h"
#include "doctor/folder_rename.h"
#include "doctor/session_checks.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/record_reader.h"
#include "migrate/records/record_source.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using Kind = RecordPiece::Kind;
using MakeChecks = std::unique_ptr<SessionChecks> (*)(const CheckContext& context);

// What is known of a format.
struct SessionKind {
  std::string_view format;
  MakeChecks checks = nullptr;
  bool (*is_record)(const JsonObject& object) = nullptr;  // amid damaged bytes
  std::span<const std::string_view> lists{};              // of documents; none: the format's reader knows its files
};

bool IsClaudeRecord(const JsonObject& object) { return IsJsonString(object["type"]) && IsJsonString(object["uuid"]); }
bool IsCodexRecord(const JsonObject& object) { return IsJsonString(object["timestamp"]) && !object["payload"].empty(); }

bool IsGeminiRecord(const JsonObject& object) { return IsJsonString(object["id"]) && IsJsonString(object["type"]); }

constexpr std::array<std::string_view, 1> kMessages{"messages"};
constexpr std::array<std::string_view, 2> kMessagesOrContent{"messages", "content"};
constexpr std::array<std::string_view, 2> kMessagesOrHistory{"messages", "history"};
constexpr std::array<std::string_view, 3> kMessagesOrItems{"messages", "input", "output"};

constexpr std::array<SessionKind, 6> kKinds{{{"claude-code", CheckClaudeSession, IsClaudeRecord},
                                             {"codex", CheckCodexSession, IsCodexRecord},
                                             {"gemini", CheckNoRecords, IsGeminiRecord, kMessagesOrHistory},
                                             {"anthropic", CheckAnthropicMessages, nullptr, kMessagesOrContent},
                                             {"openai", CheckOpenAiList, nullptr, kMessagesOrItems},
                                             {"ui-messages", CheckUiMessages, nullptr, kMessages}}};

const SessionKind* FindKind(std::string_view format) {
  const auto found = std::ranges::find(kKinds, format, &SessionKind::format);
  return found == kKinds.end() ? nullptr : &*found;
}

// One pass over a file.
class FilePass {
 public:
  FilePass(const SessionFile& session, SourceFile& file, const DoctorOptions& options, FoundSecretCounts* secrets)
      : kind_(*FindKind(session.format)),
        layout_(session.lists.empty() ? RecordEdits::Layout::kLines : RecordEdits::Layout::kList),
        records_(layout_, diagnosis_.edits()),
        secrets_(secrets),
        file_(file),
        checks_(kind_.checks({diagnosis_, records_, session.file->name(), options.close_open})) {
    if (options.rename) cwd_fields_.emplace(*options.rename);
    if (layout_ == RecordEdits::Layout::kList) {
      reader_ = std::make_unique<ListReader>(file, session.lists);
    } else {
      reader_ = std::make_unique<RecordReader>(file, kind_.is_record);
    }
  }

  Result<Examination> Run() {
    for (;;) {
      const RecordPiece piece = TURNLOG_TRY(reader_->Next());
      CheckSecrets(piece);
      if (piece.kind == Kind::kEnd) {
        TakeEnd(piece);
        break;
      }
      Take(piece);
    }
    checks_->Finish();
    if (cwd_fields_) cwd_fields_->Finish(diagnosis_);
    Examination result{.findings = diagnosis_.TakeFindings(), .edits = std::move(diagnosis_.edits()).Take()};
    // A redaction comes after the repairs, which may move texts.
    if (result.edits.empty() && redacted_ > 0) {
      result.edits = std::move(redactions_).Take();
      secrets_->redacted += redacted_;
    }
    if (cwd_fields_) result.cwd = cwd_fields_->first();
    TURNLOG_TRY(file_.DigestUpTo(UINT64_MAX));
    result.size = file_.digest().size();
    result.digest = fmt::format("{:016x}", file_.digest().Value());
    return result;
  }

 private:
  void Take(const RecordPiece& piece) {
    if (piece.kind == Kind::kHeader) return TakeHeader(piece.bytes);
    CheckLead(piece);
    const SessionRecord record(piece);
    if (records_.Begin(piece)) diagnosis_.Add("joined-lines", record, true);
    if (piece.kind == Kind::kDamage) {
      diagnosis_.Add("damaged-bytes", record, true, fmt::format("{} bytes: {}", piece.bytes.size(), piece.reason));
      records_.Remove(piece);
      return;
    }
    has_records_ = true;
    if (piece.kind == Kind::kRepaired) {
      diagnosis_.Add("invalid-text", record, true);
      TextEdit edit = Trimmed(piece.offset, piece.bytes, std::string(piece.object.text()));
      diagnosis_.edits().Replace(edit.begin, edit.end, std::move(edit.text));
    }
    if (cwd_fields_) cwd_fields_->Take(record, diagnosis_);
    checks_->Take(record, piece);
  }

  void TakeHeader(std::string_view header) {
    in_object_ = header.contains('{');
    // A response is no session: what it answers is elsewhere.
    const std::size_t colon = header.rfind(':');
    const std::string_view key = header.substr(0, colon == std::string_view::npos ? 0 : colon);
    const bool is_response = key.ends_with("\"output\"") || key.ends_with("\"content\"");
    if (is_response) checks_ = CheckNoRecords({diagnosis_, records_, {}});
  }

  void CheckLead(const RecordPiece& piece) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    const std::uint64_t begin = piece.offset - piece.lead.size();
    for (std::size_t at = piece.lead.find(kMark); at < piece.lead.size(); at = piece.lead.find(kMark, at + 1)) {
      diagnosis_.Add("byte-order-mark", {piece.line, begin + at}, true);
      diagnosis_.edits().Remove(begin + at, begin + at + kMark.size());
    }
  }

  void TakeEnd(const RecordPiece& end) {
    const std::size_t text = SkipJsonSpace(end.bytes, 0);
    if (layout_ == RecordEdits::Layout::kList) return TakeEndOfList(end);
    RecordPiece rest = end;
    rest.lead = end.bytes.substr(0, text);
    rest.bytes = end.bytes.substr(text);
    rest.offset += text;
    rest.line += CountLines(rest.lead);
    (void)records_.Begin(rest);
    const std::uint64_t file_end = end.offset + end.bytes.size();
    if (!rest.bytes.empty()) {
      diagnosis_.Add("torn-line", {rest.line, rest.offset}, true, fmt::format("{} bytes", rest.bytes.size()));
      records_.Remove(rest);
    } else if (has_records_ && !end.bytes.contains('\n')) {
      diagnosis_.Add("no-final-newline", {rest.line, file_end}, true);
      diagnosis_.edits().Insert(file_end, "\n");
    }
  }

  void TakeEndOfList(const RecordPiece& end) {
    (void)records_.Begin(end);
    if (end.reason.empty()) return;
    diagnosis_.Add("torn-line", {end.line, end.offset}, has_records_, fmt::format("{} bytes", end.bytes.size()));
    if (!has_records_) return;
    diagnosis_.edits().Replace(end.offset, end.offset + end.bytes.size(), in_object_ ? "]}" : "]");
  }

  void CheckSecrets(const RecordPiece& piece) {
    if (secrets_ == nullptr) return;
    auto redacted = secrets_->redact && piece.kind == Kind::kRecord ? secrets_->secrets.Redact(piece.bytes)
                                                                    : std::optional<std::string>();
    if (!redacted) return secrets_->secrets.Count(piece.bytes, secrets_->found);
    UnsignChangedThinking(piece.bytes, *redacted);
    ++redacted_;
    TextEdit edit = Trimmed(piece.offset, piece.bytes, *redacted);
    redactions_.Replace(edit.begin, edit.end, std::move(edit.text));
  }

  const SessionKind& kind_;
  const RecordEdits::Layout layout_;
  Diagnosis diagnosis_;
  RecordEdits records_;
  TextEdits redactions_;
  FoundSecretCounts* const secrets_;
  std::uint64_t redacted_ = 0;
  SourceFile& file_;
  std::unique_ptr<SessionChecks> checks_;
  std::optional<CwdFields> cwd_fields_;
  std::unique_ptr<PieceReader> reader_;
  bool has_records_ = false, in_object_ = false;
};

}  // namespace

bool IsExamined(const Format& format) { return FindKind(format.name) != nullptr; }

std::vector<SessionFile> SessionFilesOf(const Format& format, Source& source) {
  std::vector<SessionFile> sessions;
  const SessionKind* const kind = FindKind(format.name);
  if (kind == nullptr) return sessions;
  if (!kind->lists.empty()) {
    SourceFile& file = source.files.front();
    const bool is_lines = file.name().ends_with(".jsonl");
    return {{&file, format.name, is_lines ? std::span<const std::string_view>() : kind->lists}};
  }
  if (format.import.record_files == nullptr) return sessions;
  for (const RecordFile& file : format.import.record_files(source)) {
    if (file.rows || file.is_text || file.is_record) continue;
    sessions.push_back({file.file, format.name, file.lists});
  }
  return sessions;
}

Result<Examination> ExamineFile(const SessionFile& session, SourceFile& file, const DoctorOptions& options,
                                FoundSecretCounts* secrets) {
  return FilePass(session, file, options, secrets).Run();
}

}  // namespace turnlog
