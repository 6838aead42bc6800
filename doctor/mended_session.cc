#include "doctor/mended_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {
namespace {

// Each pass removes at least one fault; a cure that uncovers more than a few is a fault of ours.
constexpr int kMaxPasses = 16;

ReadBytes ReaderOf(SourceFile& file) {
  return [&file](std::uint64_t offset, std::span<char> out) { return file.ReadAt(offset, out); };
}

// Wherever it is: positions change from pass to pass.
bool IsKnown(const SessionFinding& finding, const std::vector<SessionFinding>& known) {
  return std::ranges::any_of(
      known, [&](const SessionFinding& other) { return other.rule == finding.rule && other.detail == finding.detail; });
}

}  // namespace

Status MendedSession::Run(SessionReport& report) {
  std::optional<FoundSecretCounts> counts;
  const bool redacts = options_.redact && options_.action != DoctorAction::kExamine;
  if (secrets_ != nullptr) counts.emplace(FoundSecretCounts{*secrets_, *known_, redacts, counts_apart_});
  for (int pass = 0;; ++pass) {
    if (pass == kMaxPasses) return std::unexpected(Error{ErrorCode::kUnsupported, "each cure uncovers another fault"});
    if (counts) counts->found.clear();
    Examination found = TURNLOG_TRY(ExamineFile(session_, Current(), options_, counts ? &*counts : nullptr));
    if (std::string damage = session_.file->damage(); !damage.empty()) {
      return std::unexpected(Error{ErrorCode::kCorruption, std::move(damage)});
    }
    if (pass == 0) std::tie(report.size, report.digest) = std::pair(found.size, found.digest);
    report.mended_digest = std::move(found.digest);
    cwd_ = std::move(found.cwd);
    if (counts) report.secrets = counts->found;
    // What no edit cures is found in each pass, unless it was hidden before.
    for (SessionFinding& finding : found.findings) {
      const bool is_new = pass == 0 || finding.mended || !IsKnown(finding, report.findings);
      if (is_new) report.findings.push_back(std::move(finding));
    }
    if (found.edits.empty() || options_.action == DoctorAction::kExamine) break;
    TURNLOG_TRY(Edit(found.edits));
    report.passes.push_back(std::move(found.edits));
  }
  if (counts) report.redacted = counts->redacted.size();
  return {};
}

Status MendedSession::Apply(const std::vector<EditPass>& passes, SessionReport& report) {
  std::uint64_t size = 0;
  std::string digest;
  TURNLOG_TRY(Digest(size, digest));
  if (size != report.size || digest != report.digest) {
    return std::unexpected(Error{ErrorCode::kConflict, "it was changed since the plan was made: examine it again"});
  }
  for (const EditPass& pass : passes) {
    TURNLOG_TRY(Edit(pass));
    TURNLOG_TRY(Digest(size, digest));
  }
  if (digest == report.mended_digest) return {};
  return std::unexpected(Error{ErrorCode::kCorruption, "the plan does not give the contents that it names"});
}

Status MendedSession::Digest(std::uint64_t& size, std::string& digest) {
  SourceFile& file = Current();
  TURNLOG_TRY(file.DigestUpTo(UINT64_MAX));
  size = file.digest().size();
  digest = fmt::format("{:016x}", file.digest().Value());
  return {};
}

Status MendedSession::Edit(const EditPass& edits) {
  auto text = TURNLOG_TRY(OpenUnnamed(session_.file->path()));
  SourceFile& from = Current();
  if (!edits.empty() && edits.back().end > from.digest().size()) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "an edit is beyond the end of the file"});
  }
  TURNLOG_TRY(WriteEdited(edits, from.digest().size(), ReaderOf(from),
                          [&](std::string_view bytes) { return text->Append(bytes); }));
  result_ = std::make_unique<SourceFile>(session_.file->name(), std::shared_ptr<ByteSource>(std::move(text)));
  return {};
}

Status MendedSession::Write(const WriteBytes& write) {
  SourceFile& file = Current();
  TURNLOG_TRY(file.DigestUpTo(UINT64_MAX));
  return WriteEdited({}, file.digest().size(), ReaderOf(file), write);
}

}  // namespace turnlog
