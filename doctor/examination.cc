#include "doctor/examination.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <utility>

#include "base/count_lines.h"
#include "base/try.h"
#include "doctor/anthropic_blocks.h"
#include "doctor/folder_rename.h"
#include "doctor/secret_counter.h"
#include "migrate/jp/array.h"
#include "migrate/records/json_array.h"
#include "migrate/records/torn_document.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using Kind = RecordPiece::Kind;
using Layout = SessionFile::Layout;

RecordEdits::Layout EditsOf(Layout layout) {
  const bool is_list = layout == Layout::kList || layout == Layout::kJpEvents;
  return is_list ? RecordEdits::Layout::kList : RecordEdits::Layout::kLines;
}

// One pass over a file.
class FilePass {
 public:
  FilePass(const SessionFile& session, SourceFile& file, const DoctorOptions& options, FoundSecretCounts* secrets)
      : layout_(session.layout),
        records_(EditsOf(layout_), diagnosis_.edits()),
        secrets_(secrets),
        file_(file),
        checks_(session.checks({diagnosis_, records_, session.file->name(), options.close_open, session.can_insert,
                                session.can_remove, session.provider})),
        reader_(ReadPieces(session, file)) {
    if (options.rename) cwd_fields_.emplace(*options.rename);
    if (secrets == nullptr) return;
    secrets->known.Prepare();
    counter_.emplace(secrets->secrets, secrets->known, secrets->counts_apart);
  }

  Result<Examination> Run() {
    for (;;) {
      RecordPiece piece = TURNLOG_TRY(reader_->Next());
      CheckSecrets(piece);
      if (piece.kind == Kind::kEnd) {
        TakeEnd(piece);
        break;
      }
      Take(piece);
    }
    checks_->Finish();
    if (counter_) counter_->Finish(secrets_->found);
    if (cwd_fields_) cwd_fields_->Finish(diagnosis_);
    Examination result{.findings = diagnosis_.TakeFindings(), .edits = std::move(diagnosis_.edits()).Take()};
    // A redaction comes after the repairs, which may move texts.
    if (result.edits.empty() && !redacted_.empty()) {
      result.edits = std::move(redactions_).Take();
      secrets_->redacted.merge(redacted_);
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
    if (piece.kind == Kind::kDamage && layout_ == Layout::kDocument) return TakeTornDocument(piece);
    if (piece.kind == Kind::kDamage) {
      const std::string size = piece.bytes.empty() ? "" : fmt::format("{} bytes: ", piece.bytes.size());
      diagnosis_.Add("damaged-bytes", record, true, size + std::string(piece.reason));
      records_.Remove(piece);
      return;
    }
    if (layout_ == Layout::kJpEvents) AddMark(piece);
    has_records_ = true;
    if (piece.kind == Kind::kRepaired) {
      diagnosis_.Add("invalid-text", record, true);
      TextEdit edit = Trimmed(piece.offset, piece.bytes, std::string(piece.object.text()));
      diagnosis_.edits().Replace(edit.begin, edit.end, std::move(edit.text));
    }
    if (cwd_fields_) cwd_fields_->Take(record, diagnosis_);
    checks_->Take(record, piece);
  }

  // What is missing at its end is added; what cannot be part of it is left out.
  void TakeTornDocument(const RecordPiece& piece) {
    const auto closed = CloseDocument(piece.bytes);
    has_records_ = true;
    diagnosis_.Add("torn-document", {piece.line, piece.offset}, closed.has_value(), std::string(piece.reason));
    if (!closed) return;
    diagnosis_.edits().Replace(piece.offset + closed->end, piece.offset + piece.bytes.size(), closed->closing);
  }

  // Damage may have taken the bracket or comma before an element along.
  void AddMark(const RecordPiece& piece) {
    if (HasMark(piece.lead)) return;
    diagnosis_.edits().InsertLast(piece.offset, has_records_ ? "," : "[");
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
    if (EditsOf(layout_) == RecordEdits::Layout::kList) return TakeEndOfList(end);
    if (layout_ == Layout::kDocument) {
      if (!has_records_) diagnosis_.Add("torn-document", {}, false, "nothing is in it");
      return;
    }
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
    ++pieces_;
    auto redacted = secrets_->redact && piece.kind == Kind::kRecord
                        ? secrets_->secrets.Redact(piece.bytes, secrets_->known)
                        : std::optional<std::string>();
    if (!redacted) return counter_->Count(piece.bytes, piece.line);
    UnsignChangedThinking(piece.bytes, *redacted);
    redacted_.insert(pieces_);
    TextEdit edit = Trimmed(piece.offset, piece.bytes, *redacted);
    redactions_.Replace(edit.begin, edit.end, std::move(edit.text));
  }

  const Layout layout_;
  Diagnosis diagnosis_;
  RecordEdits records_;
  TextEdits redactions_;
  FoundSecretCounts* const secrets_;
  std::optional<SecretCounter> counter_;
  std::uint64_t pieces_ = 0;
  std::set<std::uint64_t> redacted_;  // by their number
  SourceFile& file_;
  std::unique_ptr<SessionChecks> checks_;
  std::optional<CwdFields> cwd_fields_;
  std::unique_ptr<PieceReader> reader_;
  bool has_records_ = false, in_object_ = false;
};

}  // namespace

Result<Examination> ExamineFile(const SessionFile& session, SourceFile& file, const DoctorOptions& options,
                                FoundSecretCounts* secrets) {
  return FilePass(session, file, options, secrets).Run();
}

}  // namespace turnlog
