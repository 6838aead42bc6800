#include "turnlog/result.h"

namespace turnlog {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kSecretRefused:
      return "secret refused";
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kUnsupportedVersion:
      return "unsupported version";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kReadOnly:
      return "read only";
    case ErrorCode::kIo:
      return "i/o error";
    case ErrorCode::kNeedsReopen:
      return "needs reopening";
  }
  return "unknown error";
}

}  // namespace turnlog
