// Problems and notes of imports, and their names.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "migrate/sources/source_reader.h"

namespace turnlog {

namespace {

using enum ImportProblemCode;

// In the order of the enum. Names are in reports and in states of imports: they do not change.
constexpr std::pair<ImportProblemCode, std::string_view> kNames[] = {
    {kNotFound, "not-found"},
    {kUnknownFormat, "unknown-format"},
    {kUnreadable, "unreadable"},
    {kBusy, "busy"},
    {kMalformed, "malformed"},
    {kIncomplete, "incomplete"},
    {kQuarantined, "quarantined"},
    {kSecretKept, "secret-kept"},
    {kRefused, "refused"},
    {kChanged, "changed"},
    {kShrunk, "shrunk"},
    {kContinued, "continued"},
    {kOtherOrigin, "other-origin"},
    {kGap, "gap"},
    {kSkipped, "skipped"},
    {kBegunAgain, "begun-again"},
    {kStillRedacted, "still-redacted"},
    {kSecretRedacted, "secret-redacted"},
    {kTextRepaired, "text-repaired"},
    {kRepeatedId, "repeated-id"},
    {kNoBaseConfig, "no-base-config"},
    {kUnclear, "unclear"},
};
static_assert(std::size(kNames) == static_cast<std::size_t>(kUnclear) + 1);

// "cannot open FILE: why" is "cannot open: why", and "FILE: why" is "why", because the location names the file.
void LeaveOutFile(std::string_view file, std::string& text) {
  const std::string named = fmt::format("{}: ", file);
  if (file.empty()) return;
  if (text.starts_with(named)) {
    text.erase(0, named.size());
  } else if (const std::size_t at = text.find(" " + named); at != std::string::npos) {
    text.replace(at, named.size() + 1, ": ");
  }
}

}  // namespace

std::string_view ToString(ImportProblemCode code) { return kNames[static_cast<std::size_t>(code)].second; }

std::optional<ImportProblemCode> FindImportProblemCode(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, [](const auto& each) { return each.second; });
  return found == std::end(kNames) ? std::nullopt : std::optional(found->first);
}

std::string ToString(const ImportProblem& problem) {
  std::string text = problem.file;
  if (problem.element) fmt::format_to(std::back_inserter(text), ", element {}", *problem.element);
  if (problem.line) fmt::format_to(std::back_inserter(text), ", line {}", *problem.line);
  if (problem.byte) fmt::format_to(std::back_inserter(text), ", byte {}", *problem.byte);
  return text.append(": ").append(problem.reason);
}

ImportProblem At(const SourceLocation& location, ImportReason reason) {
  LeaveOutFile(location.file, reason.text);
  return {reason.code,   std::string(location.file), location.element, location.line,
          location.byte, std::move(reason.text)};
}

std::string LastLineIsTorn(std::string_view fault) { return fmt::format("the last line is not complete: {}", fault); }

ImportReason AnswerRedacted() {
  return {ImportProblemCode::kSecretRedacted, "what answers a secret question was redacted"};
}

ImportReason WhyUnreadable(const Error& error) {
  using enum ErrorCode;
  ImportProblemCode code = ImportProblemCode::kUnreadable;
  if (error.code == kNotFound) code = ImportProblemCode::kNotFound;
  if (error.code == kBusy || error.code == kConflict) code = ImportProblemCode::kBusy;
  if (error.code == kInvalidArgument || error.code == kCorruption || error.code == kUnsupportedVersion) {
    code = ImportProblemCode::kMalformed;
  }
  return {code, error.message};
}

}  // namespace turnlog
