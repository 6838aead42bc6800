#include "doctor/write_session.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/try.h"
#include "doctor/copy_mark.h"
#include "doctor/pending_file.h"
#include "doctor/replace_file.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> Refuse(std::string why, ErrorCode code = ErrorCode::kInvalidArgument) {
  return std::unexpected(Error{code, std::move(why)});
}

Status WriteCopy(MendedSession& mended, const struct stat& seen, const fs::path& to, SessionReport& report) {
  TURNLOG_TRY(CheckCopy(report.path, to));
  std::error_code error;
  if (to.has_parent_path()) fs::create_directories(to.parent_path(), error);
  PendingFile file = TURNLOG_TRY(PendingFile::Create(to));
  TURNLOG_TRY(mended.Write([&](std::string_view bytes) { return file.Append(bytes); }));
  TURNLOG_TRY(file.Complete(seen));
  MarkCopy(file.temporary());
  const Status renamed = file.Rename();
  if (file.has_name()) report.written = to;
  return renamed;
}

Status Replace(MendedSession& mended, const struct stat& seen, const DoctorOptions& options, SessionReport& report) {
  if (!S_ISREG(seen.st_mode)) return Refuse("not a regular file: give --out", ErrorCode::kUnsupported);
  const fs::path& path = report.path;
  if (path.extension() == ".zst") return Refuse("compressed: give --out", ErrorCode::kUnsupported);
  const ReplaceRequest replacement{.path = path,
                                   .seen = seen,
                                   .idle_seconds = options.idle_seconds,
                                   .keep_backup = !options.redact,
                                   .contents = [&](const WriteBytes& write) { return mended.Write(write); },
                                   .on_step = options.on_step};
  ReplaceOutcome outcome = TURNLOG_TRY(ReplaceFile(replacement));
  report.carried_over += outcome.carried_over;
  report.problem = std::move(outcome.problem);
  report.backup = std::move(outcome.backup);
  report.written = path;
  return {};
}

Status Write(MendedSession& mended, const struct stat& seen, CopyPaths& copies, const DoctorOptions& options,
             SessionReport& report) {
  switch (options.action) {
    case DoctorAction::kCopy:
      return WriteCopy(mended, seen, TURNLOG_TRY(copies.Take(report.path)), report);
    case DoctorAction::kReplace:
      return Replace(mended, seen, options, report);
    case DoctorAction::kExamine:
    case DoctorAction::kPlan:
      break;
  }
  return {};
}

}  // namespace

Status CheckCopy(const fs::path& source, const fs::path& copy) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(copy, error);
  if (!fs::exists(status)) return {};
  const bool is_source = fs::equivalent(source, copy, error) && !error;
  if (is_source) return Refuse("the copy would replace the session itself: give another folder with --out");
  if (!fs::is_regular_file(status)) return Refuse(fmt::format("{}: not a regular file", copy.string()));
  if (HasCopyMark(copy)) return {};
  return Refuse(
      fmt::format("{} is there and is no unchanged copy of an earlier run: move it, or give another folder "
                  "with --out",
                  copy.string()));
}

Status WriteMended(MendedSession& mended, const struct stat& seen, CopyPaths& copies, const DoctorOptions& options,
                   SessionReport& report) {
  const Status done = Write(mended, seen, copies, options, report);
  NoteUnwritten(options, report);
  return done;
}

void NoteUnwritten(const DoctorOptions& options, SessionReport& report) {
  const bool writes = options.action == DoctorAction::kCopy || options.action == DoctorAction::kReplace;
  if (writes && report.written.empty()) report.not_redacted += std::exchange(report.redacted, 0);
}

}  // namespace turnlog
