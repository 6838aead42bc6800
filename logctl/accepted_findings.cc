#include "logctl/accepted_findings.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <string_view>

#include "base/file_system.h"
#include "base/try.h"

namespace turnlog {
namespace {

// Takes what is before the next space.
std::string_view TakeWord(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

}  // namespace

Expected<std::vector<AcceptedFinding>> ReadAcceptedFindings(const std::string& path) {
  const std::string text = TURNLOG_TRY(ReadInput(path));
  std::vector<AcceptedFinding> findings;
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty() || line.starts_with('#')) continue;
    AcceptedFinding finding{.rule = std::string(TakeWord(line)), .conversation = {}, .seq = {}};
    const std::string_view seq = TakeWord(line);
    const auto read = std::from_chars(seq.data(), seq.data() + seq.size(), finding.seq.value);
    if (read.ec != std::errc() || read.ptr != seq.data() + seq.size() || line.empty()) {
      return Failed(fmt::format("{}, line {}: must be RULE SEQ CONVERSATION", path, number));
    }
    finding.conversation = line;
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<void> WriteAcceptedFindings(const std::string& path, const RedactionPlan& plan) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << "# Accepted findings of `logctl redact --detect`: RULE SEQ CONVERSATION\n";
  for (const RedactedConversation& conversation : plan.conversations) {
    for (const RedactedEvent& event : conversation.events) {
      for (const std::string& rule : event.rules)
        file << rule << ' ' << event.seq.value << ' ' << conversation.id << '\n';
    }
  }
  if (!file.flush()) return Failed(fmt::format("cannot write {}", path));
  return {};
}

}  // namespace turnlog
