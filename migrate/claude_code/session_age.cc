#include "migrate/claude_code/session_age.h"

#include <algorithm>
#include <string>

#include "migrate/claude_code/session.h"
#include "migrate/records/probe_records.h"
#include "migrate/sources/source.h"

namespace turnlog {
namespace {

// The last bytes of a file, from a line's beginning on.
std::string TailOf(SourceFile& file, std::size_t bytes) {
  const std::uint64_t size = file.FindSize().value_or(0);
  const std::uint64_t from = size - std::min<std::uint64_t>(size, bytes);
  std::string tail(size - from, '\0');
  tail.resize(file.ReadAt(from, tail).value_or(0));
  return from == 0 ? tail : tail.substr(std::min(tail.find('\n'), tail.size()));
}

}  // namespace

SourceAge ClaudeAge(Source& source) {
  SourceFile& file = source.files.front();
  const std::string session = StemOf(file.name());
  SourceAge age{.names_another = ClaudeMayRepeat(source) || ClaudeOrigin(source)};
  AnyFirstRecord(file, [&](const JsonObject& record) {
    if (!IsJsonString(record["uuid"])) return false;
    const auto of = record.String("sessionId");
    age.names_another |= of && IsUuid(session) && *of != session;
    age.begins = record.Time("timestamp");
    return true;
  });
  AnyRecord(TailOf(file, kProbeBytes), [&](const JsonObject& record) {
    if (const auto time = record.Time("timestamp")) age.ends = time;
    return false;
  });
  return age;
}

}  // namespace turnlog
