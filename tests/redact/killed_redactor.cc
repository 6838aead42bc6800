// The victim of command_test.cc: redacts the secrets of a store, and dies before the given operation on the log's
// files, if it gets there.
//   killed_redactor STORE LOG_OPERATION
#include <cstdio>
#include <string>

#include "base/try.h"
#include "store/engine/event_log.h"
#include "tests/store/dying_environment.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {
namespace {

Status Redact(const std::string& store, const Environment& environment) {
  const auto log = TURNLOG_TRY(EventLog::Open(store, {.mode = OpenMode::kWrite}, environment));
  const auto redaction = TURNLOG_TRY(
      Redaction::Plan(*log, {.secrets = true, .inquiries = {}, .values = {}, .detect = false, .rules = {}}));
  TURNLOG_TRY(redaction->Apply("victim"));
  TURNLOG_TRY(redaction->Prove());
  return log->Close();
}

}  // namespace
}  // namespace turnlog

int main(int count, char** arguments) {
  if (count != 3) return 2;
  turnlog::DyingEnvironment dying(std::stoull(arguments[2]), 0);
  const turnlog::Status status = turnlog::Redact(arguments[1], dying.environment());
  if (!status) std::fputs(status.error().message.c_str(), stderr);
  return status ? 0 : 1;
}
