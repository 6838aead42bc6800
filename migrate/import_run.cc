#include "migrate/import_run.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

// Concerns the log, and not the one conversation that was to be appended or read.
bool StopsImport(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kConflict:
    case ErrorCode::kSecretRefused:
    case ErrorCode::kCorruption:
    case ErrorCode::kUnsupportedVersion:
      return false;
    case ErrorCode::kUnsupported:
    case ErrorCode::kBusy:
    case ErrorCode::kReadOnly:
    case ErrorCode::kIo:
    case ErrorCode::kNeedsReopen:
      return true;
  }
  return true;
}

}  // namespace

void ImportRun::Fail(ImportProblem problem) {
  ++report_.failed;
  report_.problems.push_back(std::move(problem));
}

Status ImportRun::FailOrStop(ImportProblem place, const Error& error) {
  if (StopsImport(error.code)) return std::unexpected(error);
  place.reason = error.message;
  Fail(std::move(place));
  return {};
}

Result<std::optional<Seq>> ImportRun::LastSeq(const ConversationId& conversation) {
  const auto info = log_.Info(conversation);
  if (info) return info->last;
  if (info.error().code == ErrorCode::kNotFound) return std::nullopt;
  return std::unexpected(info.error());
}

Status ImportRun::Append(const ConversationId& conversation, std::span<const Event> events, Seq last) {
  last_ticket_ = TURNLOG_TRY(log_.Append(conversation, events, {Durability::kBuffered, last})).ticket;
  report_.events += events.size();
  ++(last.value == 0 ? report_.added : report_.extended);
  return {};
}

Result<ImportReport> ImportRun::Finish() {
  if (last_ticket_) TURNLOG_TRY(log_.Wait(*last_ticket_, Durability::kSync));
  return std::move(report_);
}

PlacedMessage TakePlace(std::string_view message) {
  constexpr std::string_view kByte = "byte ";
  PlacedMessage placed{0, message};
  if (!message.starts_with(kByte)) return placed;
  const char* const end = message.data() + message.size();
  const auto [behind, error] = std::from_chars(message.data() + kByte.size(), end, placed.byte);
  const std::string_view rest(behind, static_cast<std::size_t>(end - behind));
  if (error == std::errc() && rest.starts_with(": ")) placed.text = rest.substr(2);
  return placed;
}

std::string ToString(const ImportProblem& problem) {
  std::string text = problem.file;
  if (problem.element) fmt::format_to(std::back_inserter(text), ", element {}", *problem.element);
  if (problem.line) fmt::format_to(std::back_inserter(text), ", line {}", *problem.line);
  if (problem.byte) fmt::format_to(std::back_inserter(text), ", byte {}", *problem.byte);
  return text.append(": ").append(problem.reason);
}

}  // namespace turnlog
