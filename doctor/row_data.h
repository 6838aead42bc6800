// The column of a row that has a JSON object, and what others than us may read as one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace turnlog {

enum class RowData : std::uint8_t {
  kObject,
  kUnclear,  // a tool that is less strict may read it: NaN, single surrogates, bytes
  kNoJson,   // it does not begin as an object, or was cut
};

// `value`: as it is in the row as JSON, where a text that is no JSON is a string, and bytes are {"$base64":...}.
RowData ReadRowData(std::string_view value);

// The row as JSON on one line: an object with line breaks, which is a string in the row, is put there as the object,
// without blanks around it and with blanks instead of line breaks.
std::string WithObjectOf(std::string_view row, std::string_view column);

}  // namespace turnlog
