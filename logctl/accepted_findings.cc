#include "logctl/accepted_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>

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

// A line of the file: RULE NUMBER WHERE.
struct Line {
  std::string_view rule, where;
  std::uint64_t number = 0;
};

// `form`: of a line, for messages.
Expected<void> ReadLines(const std::string& path, std::string_view form, const std::function<void(Line)>& on_line) {
  const std::string text = TURNLOG_TRY(ReadInput(path));
  std::string_view rest = text;
  for (std::size_t count = 1; !rest.empty(); ++count) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty() || line.starts_with('#')) continue;
    Line read{.rule = TakeWord(line), .where = {}};
    const std::string_view number = TakeWord(line);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), read.number);
    if (error != std::errc() || end != number.data() + number.size() || line.empty())
      return Failed(fmt::format("{}, line {}: must be {}", path, count, form));
    read.where = line;
    on_line(read);
  }
  return {};
}

// So that `./a` and `a` are one file.
std::string NormalPath(std::string_view path) { return std::filesystem::path(path).lexically_normal().string(); }

constexpr std::string_view kFindingForm = "RULE SEQ CONVERSATION", kSecretForm = "RULE LINE FILE";

// A conversation is found by its name as it is, also if that holds a secret.
void MakePrivate(const std::string& path) {
  std::error_code ignored;
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write, ignored);
}

}  // namespace

bool HoldsNameSecret(const AcceptedFinding& finding) { return finding.seq.value == 0; }

Expected<std::vector<AcceptedFinding>> ReadAcceptedFindings(const std::string& path) {
  std::vector<AcceptedFinding> findings;
  TURNLOG_TRY(ReadLines(path, kFindingForm, [&](const Line& line) {
    findings.push_back({std::string(line.rule), std::string(line.where), Seq{line.number}});
  }));
  return findings;
}

Expected<void> WriteAcceptedFindings(const std::string& path, const std::vector<AcceptedFinding>& found,
                                     const std::vector<AcceptedFinding>& before) {
  std::set<std::tuple<std::string, Seq, std::string>> accepted;  // by conversation, as the plan is ordered
  for (const auto* findings : {&before, &found}) {
    for (const AcceptedFinding& finding : *findings) accepted.emplace(finding.conversation, finding.seq, finding.rule);
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (std::ranges::any_of(found, &HoldsNameSecret)) MakePrivate(path);
  file << "# Accepted findings of `logctl redact --detect`: " << kFindingForm << '\n';
  for (const auto& [conversation, seq, rule] : accepted)
    file << rule << ' ' << seq.value << ' ' << conversation << '\n';
  if (!file.flush()) return Failed(fmt::format("cannot write {}", path));
  return {};
}

Expected<void> RemoveAcceptedSecrets(const std::string& path, SecretScanReport& report) {
  std::set<std::tuple<std::string, std::uint64_t, std::string>> accepted;
  TURNLOG_TRY(ReadLines(path, kSecretForm,
                        [&](const Line& line) { accepted.emplace(line.rule, line.number, NormalPath(line.where)); }));
  std::erase_if(report.secrets, [&](const SecretLocation& secret) {
    return accepted.contains({secret.rule, secret.line, NormalPath(secret.file)});
  });
  return {};
}

Expected<void> WriteAcceptedSecrets(const std::string& path, const SecretScanReport& report) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << "# Accepted findings of `logctl scan`: " << kSecretForm << '\n';
  for (const SecretLocation& secret : report.secrets) {
    if (!secret.file.contains('\n')) file << secret.rule << ' ' << secret.line << ' ' << secret.file << '\n';
  }
  if (!file.flush()) return Failed(fmt::format("cannot write {}", path));
  return {};
}

}  // namespace turnlog
