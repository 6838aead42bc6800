#include "logctl/errors.h"

#include <string>
#include <utility>

namespace turnlog {
namespace {

std::string_view Advice(ErrorCode code) {
  switch (code) {
    case ErrorCode::kSecretRefused:
      return "leave out the default of a question; record an answer as redacted: "
             "{\"type\":\"inquiry_response\",\"outcome\":\"redacted\",\"id\":\"...\"}";
    case ErrorCode::kCorruption:
      return "`logctl verify` reports all damage";
    case ErrorCode::kUnsupportedVersion:
      return "another version of logctl may read it; check the path too";
    case ErrorCode::kUnsupported:
      return "";
    case ErrorCode::kBusy:
      return "wait for that process, or end it; commands that only read work meanwhile";
    case ErrorCode::kNeedsReopen:
      return "fix the cause (a full disk?), then run the command again";
    case ErrorCode::kConflict:
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kReadOnly:
    case ErrorCode::kIo:
      break;
  }
  return {};
}

}  // namespace

Failure::Failure(Error error) : exit_code(kFailed), message(std::move(error.message)), hint(Advice(error.code)) {}

std::string Named(std::string_view name, std::string_view message) {
  const std::string before = std::string(name) + ":";
  const bool named =
      message.starts_with(before) || message.contains(" " + before) || message.contains('"' + std::string(name) + '"');
  return named ? std::string(message) : before + " " + std::string(message);
}

std::unexpected<Failure> WrongUsage(std::string message, std::string hint) {
  return std::unexpected(Failure(kUsage, std::move(message), std::move(hint)));
}

std::unexpected<Failure> Failed(std::string message, std::string hint) {
  return std::unexpected(Failure(kFailed, std::move(message), std::move(hint)));
}

}  // namespace turnlog
