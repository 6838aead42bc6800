#include "migrate/import/import_refusal.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "migrate/sources/folder_entries.h"

namespace turnlog {

std::unexpected<Error> ImportRefusal::Refuse(const SourceLocation& location, ImportReason reason) {
  location_ = location;
  code_ = reason.code;
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(reason.text)});
}

std::unexpected<Error> ImportRefusal::RefuseChanged(const SourceLocation& location, Seq seq) {
  constexpr std::string_view kRedacted = " (something was redacted when it was imported)";
  constexpr std::string_view kPerhapsFound =
      " (something was redacted when it was imported: if that was with `--detect redact`, import it so again)";
  const std::string_view hint = !was_redacted_ ? "" : redacts_ ? kRedacted : kPerhapsFound;
  std::string reason = seq.value == 0
                           ? fmt::format("differs from an event imported before{}", hint)
                           : fmt::format("differs from the event imported before as seq {}{}", seq.value, hint);
  if (HasBackupOfDoctor(path_)) {
    reason +=
        " (`logctl doctor` has mended it: the log keeps what it was; to have what it is now, import it into another "
        "store)";
  }
  return Refuse(location, {ImportProblemCode::kChanged, std::move(reason)});
}

}  // namespace turnlog
