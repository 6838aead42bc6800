// The files in which Claude Code keeps long outputs of tools: <session>/tool-results/<name>. Each is a conversation
// with one event, because such files appear in any order while their session grows.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "migrate/records/record_source.h"

namespace turnlog {

// Whether this is the name of one, in the folder of its session.
bool IsToolResultFile(std::string_view name);

// The name of the file that has the whole output of a result, in the folder of its session; empty if there is none.
// `path`: what the result has as the file's path; may be empty. `content`: what the model was told.
std::string ToolResultFile(std::string_view path, std::string_view content);

// For such a file, which has no records.
std::unique_ptr<RecordConverter> MakeTextConverter();

}  // namespace turnlog
