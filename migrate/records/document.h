// Sources that are one JSON document with a list of records.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "migrate/format.h"
#include "migrate/records/record_source.h"

namespace turnlog {

// kByContent: `is_own` holds for one of the first records of the list that is in one of the fields `lists`.
Match MatchDocument(const FileProbe& probe, std::span<const std::string_view> lists,
                    bool (*is_own)(const JsonObject& record));

// The document as a conversation with the name of the file. `lists` must outlive the reader.
std::unique_ptr<SourceReader> ReadDocument(std::string_view format, Source& source,
                                           std::unique_ptr<RecordConverter> converter,
                                           std::span<const std::string_view> lists);

}  // namespace turnlog
