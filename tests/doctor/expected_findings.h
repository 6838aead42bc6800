// What tests/fixtures/damaged/expected.json says of the damaged sessions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "turnlog/doctor/doctor.h"

namespace turnlog {

using ExpectedFinding = std::tuple<std::string, std::uint64_t, bool>;  // rule, line, mended

// By the path of the file; of a session in a database, <database>.sql#<session>.
const std::map<std::string, std::vector<ExpectedFinding>>& ExpectedFindings();
std::vector<ExpectedFinding> SummaryOf(const SessionReport& session);

}  // namespace turnlog
