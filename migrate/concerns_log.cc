#include "migrate/concerns_log.h"

namespace turnlog {

bool ConcernsLog(ErrorCode code) {
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

}  // namespace turnlog
