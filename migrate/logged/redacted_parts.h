#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/logged/import_record.h"

namespace turnlog {

// The redacted parts of a conversation's import records, collected in order. They stay redacted: a later record of the
// same text gets the redacted form, whatever the source contains now.
class RedactedParts {
 public:
  // `redacted`: the event was redacted in the log.
  void Add(const ImportRecord& record, bool redacted);

  // Whether two names mean the same part in different layouts of a format.
  using SamePart = bool (*)(std::string_view one, std::string_view other);

  // Puts the redacted forms into `record` and marks it as redacted. Returns the names of parts that have also changed:
  // their new contents are not imported, because they may contain the redacted values.
  std::vector<std::string> Apply(ImportRecord& record, SamePart same_part) const;

 private:
  const std::string* FormOf(std::string& name, SamePart same_part) const;

  struct Part {
    std::string bytes;
    bool redacted = false;  // not only its name
  };
  std::optional<std::string> source_;
  std::map<std::string, Part> parts_;
};

}  // namespace turnlog
