// Whether a file is of the format that the user has named for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// The formats of which a file may be that is of none by its contents.
std::vector<std::string_view> PossibleFormats(const FileProbe& probe);
// What to tell a user who has to choose one of them; empty: there is none.
std::string ChoiceFrom(const std::vector<std::string_view>& formats);
// What to tell a user of a file that is of no format by its contents.
std::string WhyUnknown(const FileProbe& probe);

}  // namespace turnlog
