#include "tests/doctor/expected_findings.h"

#include "schema/json/json_tree.h"
#include "tests/doctor/session_files.h"

namespace turnlog {
namespace {

std::map<std::string, std::vector<ExpectedFinding>> Read() {
  static const std::string text = TextOf(DamagedSessions() / "expected.json");
  const JsonView json = JsonView::FromTrusted(text);
  std::map<std::string, std::vector<ExpectedFinding>> all;
  for (const JsonNode& file : ParseTree(json).fields) {
    std::vector<ExpectedFinding>& findings = all[file.key];
    for (const JsonNode& finding : file.Find("findings")->elements) {
      findings.emplace_back(finding.Find("rule")->string, std::stoull(std::string(finding.Find("line")->text)),
                            finding.Find("mended")->is_true());
    }
  }
  return all;
}

}  // namespace

const std::map<std::string, std::vector<ExpectedFinding>>& ExpectedFindings() {
  static const auto all = Read();
  return all;
}

std::vector<ExpectedFinding> SummaryOf(const SessionReport& session) {
  std::vector<ExpectedFinding> all;
  for (const SessionFinding& finding : session.findings) all.emplace_back(finding.rule, finding.line, finding.mended);
  return all;
}

}  // namespace turnlog
