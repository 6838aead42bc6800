#include "doctor/diagnosis.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace turnlog {
namespace {

Verdict VerdictOf(std::string_view rule) {
  if (const SessionRule* own = FindSessionRule(rule)) return own->verdict;
  const ProviderRule* const providers = FindProviderRule(rule);
  return providers == nullptr ? Verdict::kRefused : providers->verdict;
}

}  // namespace

void Diagnosis::Add(std::string_view rule, FindingLocation at, bool mended, std::string detail) {
  findings_.push_back({std::string(rule), VerdictOf(rule), at.line, at.byte, std::move(detail), mended});
}

std::vector<SessionFinding> Diagnosis::TakeFindings() {
  std::ranges::sort(findings_, {},
                    [](const SessionFinding& finding) { return std::tie(finding.byte, finding.rule, finding.detail); });
  return std::move(findings_);
}

bool RecordEdits::Begin(const RecordPiece& piece) {
  if (piece.kind == RecordPiece::Kind::kHeader) return false;
  if (std::exchange(has_piece_, true) && !std::exchange(removed_, false)) has_kept_ = true;
  const std::string_view lead = piece.lead;
  lead_ = piece.offset - lead.size();
  const std::size_t separator = lead.find(layout_ == Layout::kLines ? '\n' : ',');
  const bool breaks = separator != std::string_view::npos;
  if (breaks) line_used_ = false;
  if (std::exchange(separator_, false) && breaks) edits_.Remove(lead_, lead_ + separator + 1);
  if (piece.kind == RecordPiece::Kind::kDamage || piece.kind == RecordPiece::Kind::kEnd) return false;
  const bool joined = std::exchange(line_used_, true) && layout_ == Layout::kLines;
  if (joined) edits_.InsertLast(piece.offset, "\n");
  return joined;
}

void RecordEdits::Remove(const RecordPiece& piece) {
  removed_ = true;
  const std::uint64_t end = piece.offset + piece.bytes.size();
  if (layout_ == Layout::kList && has_kept_) return edits_.Remove(lead_, end);
  edits_.Remove(piece.offset, end);
  if (piece.kind == RecordPiece::Kind::kRecord) line_used_ = false;
  separator_ = !line_used_;
}

void RecordEdits::InsertAfter(std::uint64_t end, const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text.append(1, layout_ == Layout::kLines ? '\n' : ',').append(record);
  edits_.Insert(end, std::move(text));
}

}  // namespace turnlog
