// Any bytes as a session of each tool that keeps files: what is mended needs nothing more. Of what is damaged in more
// places than there are passes, nothing is mended.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "doctor/mended_session.h"
#include "doctor/session_kinds.h"
#include "migrate/format.h"
#include "tests/fuzz/fuzz_source.h"

namespace {

using namespace turnlog;

struct Mended {
  SessionReport report;
  std::string text;
};

// Nothing: it takes too many passes.
std::optional<Mended> Mend(const Format& format, const std::string& name, const std::string& bytes,
                           const DoctorOptions& options) {
  Source source = MemorySource(name, {{name, bytes}});
  Mended mended;
  for (const SessionFile& file : SessionFilesOf(format, source)) {
    MendedSession session(file, options, nullptr, nullptr);
    const Status done = session.Run(mended.report);
    if (!done && done.error().code == ErrorCode::kUnsupported) return std::nullopt;
    Require(done.has_value());
    const auto append = [&](std::string_view piece) { return mended.text.append(piece), Status(); };
    Require(session.Write(append).has_value());
  }
  return mended;
}

void MendTwice(const Format& format, const std::string& name, const std::string& bytes) {
  const DoctorOptions options{.action = DoctorAction::kPlan, .close_open = true, .secrets = false};
  const auto once = Mend(format, name, bytes, options);
  if (!once) return;
  const auto twice = Mend(format, name, once->text, options);
  Require(twice && twice->report.passes.empty() && twice->text == once->text);
  if (once->report.passes.empty()) Require(once->text.empty() || once->text == bytes);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const Format* format : AllFormats()) {
    MendTwice(*format, format->name == "jp" ? "events.json" : "s.json", bytes);
    MendTwice(*format, "s.jsonl", bytes);
  }
  return 0;
}
