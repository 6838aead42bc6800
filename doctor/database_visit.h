// Visits the sessions in a database: each is examined as the text of its rows, one a line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "doctor/source_visit.h"

namespace turnlog {

// REQUIRES: the source is a database, and nothing else has its files open.
SourceReport VisitDatabase(const FoundSource& found, Source source, const SourceVisitContext& context);

// Carries out what a plan has for these sessions of the database. One whose rows are not those of the plan gets a
// `problem`. Returns notes.
std::vector<std::string> ApplyToDatabase(const FoundSource& found, Source source, const SourceVisitContext& context,
                                         std::span<SessionReport* const> planned);

}  // namespace turnlog
