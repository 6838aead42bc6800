// Any bytes as a baseline: refused with its path and line, or findings that are written and read again as the same.
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "logctl/accepted_findings.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace turnlog;

void ReadFindings(const std::string& file) {
  const auto findings = ReadAcceptedFindings(file);
  if (!findings) return Require(findings.error().message.starts_with(file + ", line "));
  for (const AcceptedFinding& finding : *findings) Require(!finding.conversation.empty());
  Require(WriteAcceptedFindings(file, *findings, {}).has_value());
  const auto again = ReadAcceptedFindings(file);
  // Sorted, and each once.
  const auto set = [](const std::vector<AcceptedFinding>& list) { return std::set(list.begin(), list.end()); };
  Require(again && set(*again) == set(*findings) && again->size() == set(*findings).size());
}

void RemoveSecrets(const std::string& file) {
  SecretScanReport report;
  report.secrets = {{.file = "a b", .line = 17, .rule = "github-token"}, {.file = "c", .line = 1, .rule = "x"}};
  const std::size_t before = report.secrets.size();
  const auto removed = RemoveAcceptedSecrets(file, report);
  if (!removed) return Require(removed.error().message.starts_with(file + ", line "));
  Require(report.secrets.size() <= before);
  Require(WriteAcceptedSecrets(file, report).has_value());
  Require(RemoveAcceptedSecrets(file, report).has_value() && report.secrets.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir dir;
  const std::string file = (dir / "baseline").string();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::ofstream(file, std::ios::binary) << text;
  RemoveSecrets(file);
  std::ofstream(file, std::ios::binary) << text;
  ReadFindings(file);
  return 0;
}
