// How every call of turnlog reports failure: as a value, never by an exception or by printing.
//
// An Error means that the call has changed nothing, except kIo and kNeedsReopen from a call that writes: then the
// change may or may not have reached the disk, and log.h says how to find out.
// Damage (damage.h: bytes that cannot be trusted) and inconsistent histories (sanitize.h: readable events that do not
// fit together) are not errors.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // malformed input; the message says where. Correct the input.
  kNotFound,         // no such store, conversation or event.
  kConflict,  // the conversation is not at the expected seq but at `last_seq`. Read the new events and decide again.
  kSecretRefused,       // an answer in clear to a question that asks for a secret. Append it as redacted.
  kCorruption,          // stored bytes that the call needs are damaged; the message names file and byte.
  kUnsupportedVersion,  // written by a later turnlog, or not a turnlog store at all.
  kUnsupported,         // this build or this engine cannot do it; the message says which can.
  kBusy,                // another process or handle has the store open for writing; the message says which.
  kReadOnly,            // the log was opened for reading, or is a backup.
  kIo,                  // the operating system reported an error, which the message quotes. A write may have happened.
  // A write or sync of this call or of an earlier one has failed: the contents of the disk are unknown, and all writes
  // fail until the store is reopened. The call may have happened. Reads still work, except for conversations with
  // unwritten appends, which fail with this code, too.
  kNeedsReopen,
};

struct Error {
  ErrorCode code;
  std::string message;                      // for people; not part of the contract
  std::optional<std::uint64_t> last_seq{};  // kConflict only: the conversation's actual last seq
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

// The code as a lower-case word, e.g. "not found".
std::string_view ToString(ErrorCode code);

}  // namespace turnlog
