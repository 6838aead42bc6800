// Whether a file is of the format that the user has named for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/format.h"

namespace turnlog {

// What a file is that has nothing of the format asked for.
struct WrongFormat {
  const Format* other = nullptr;   // whose contents it has; null: none is known
  std::string_view compression{};  // the program that has compressed it

  std::string Reason(const Format& asked) const;
};

// None: the file may be of the format; an empty or damaged one may be of any. `probe`: up to kMoreProbeBytes of it.
std::optional<WrongFormat> FindWrongFormat(const Format& asked, const FileProbe& probe);

// What to tell a user of a file that is of no format by its contents.
std::string WhyUnknown(const FileProbe& probe);

}  // namespace turnlog
