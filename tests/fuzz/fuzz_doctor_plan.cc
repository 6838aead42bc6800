// Any text as a plan of edits: refused with the line, or written again and read as the same.
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_target.h"
#include "turnlog/doctor/doctor.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  DoctorReport report;
  const auto plan = ReadPlan({reinterpret_cast<const char*>(data), size});
  if (!plan) {
    Require(plan.error().message.starts_with("line "));
    return 0;
  }
  report.sessions = *plan;
  const std::string written = WritePlan(report);
  const auto again = ReadPlan(written);
  Require(again.has_value());
  report.sessions = *again;
  Require(WritePlan(report) == written);
  return 0;
}
