// Seals what an import remembers of a source that has several conversations: it is kept outside of them, and has hashes
// of contents, by which a guess at a redacted text could be checked. A redaction of anything removes the key of the
// log, and with it everything that was sealed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "turnlog/log.h"

namespace turnlog {

// Makes a key if the log has none.
Result<std::string> Seal(Log& log, std::string_view state);
// Nothing if it was sealed with a key that has been removed, or not by Seal.
Result<std::optional<std::string>> Unseal(Log& log, std::string_view sealed);

}  // namespace turnlog
