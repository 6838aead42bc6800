// The parts of a request's target: percent-encoding, segments of the path, fields of the query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnlog {

// Nothing if an escape is malformed. A '+' stays a '+'.
std::optional<std::string> PercentDecode(std::string_view text);
// Leaves only letters, digits and "-._~" as they are.
std::string PercentEncode(std::string_view text);

// The decoded segments of "/a/b%2Fc" are "a" and "b/c". Nothing if the path does not begin with '/', or an escape is
// malformed.
std::optional<std::vector<std::string>> SplitPath(std::string_view path);

using QueryFields = std::vector<std::pair<std::string, std::string>>;
// Nothing if an escape is malformed, or a field is given twice.
std::optional<QueryFields> SplitQuery(std::string_view query);

}  // namespace turnlog
