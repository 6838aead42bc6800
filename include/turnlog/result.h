// How every call of turnlog reports failure: a value, never an exception, never a print.
//
// An Error means that the call has changed nothing, but for kIo and kNeedsReopen from a call that writes: then the
// change may have reached the disk or not, and log.h says how to find out. It is not how damage is reported (damage.h:
// bytes that cannot be trusted) nor how inconsistent histories are (sanitize.h: events that are readable but do not fit
// together).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // what was passed in is malformed; the message says where. Mend the input.
  kNotFound,         // no such store, conversation or event.
  kConflict,       // the conversation is not at the expected seq; `last_seq` tells the real one. Read on, decide anew.
  kSecretRefused,  // an answer to a secret question was offered in clear. Append it as redacted.
  kCorruption,     // stored bytes are damaged where the call needed them; the message names file and byte.
  kUnsupportedVersion,  // written by a later turnlog, or not a turnlog store at all.
  kUnsupported,         // this build or this engine cannot do it; the message says which can.
  kBusy,                // another process or handle holds the store for writing; the message says who.
  kReadOnly,            // the log was opened for reading, or is a backup.
  kIo,                  // the operating system refused; the message has its words. A write may have happened.
  // A write or sync has failed, this call's own or an earlier one's: what the disk holds is not known, and nothing more
  // is accepted until the store is opened again. The call may have happened. Reading goes on where nothing was lost: a
  // conversation that an unwritten append belongs to gives this code, too.
  kNeedsReopen,
};

struct Error {
  ErrorCode code;
  std::string message;                      // for people; not part of the contract
  std::optional<std::uint64_t> last_seq{};  // kConflict only: the last seq that the conversation really has
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

// The code as a lower-case word, e.g. "not found".
std::string_view ToString(ErrorCode code);

}  // namespace turnlog
