// The report of a sanitizer run, as text and as JSON: each conversation when it is done, then the totals.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "logctl/output.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

struct SanitizeTotals {
  std::uint64_t checked = 0, changed = 0;  // conversations; in a dry run: that would change
  std::uint64_t failed = 0;                // conversations; not counted in `checked`
  std::uint64_t events_read = 0, retracted = 0, open = 0;
  std::map<std::string_view, std::uint64_t> rules;  // repairs by rule

  void Add(const SanitizePlan& plan);
};

class SanitizeReport {
 public:
  virtual ~SanitizeReport() = default;
  virtual void Add(const ConversationId& conversation, const SanitizeOutcome& outcome) = 0;
  // `why` was already reported on standard error.
  virtual void AddFailed(const ConversationId& conversation, const Error& why) = 0;
  virtual void Finish(const SanitizeTotals& totals) = 0;
};

std::unique_ptr<SanitizeReport> SanitizeReportAsJson(Output& out, RepairProfile profile, bool apply);
std::unique_ptr<SanitizeReport> SanitizeReportAsText(Output& out, bool apply);

}  // namespace turnlog
