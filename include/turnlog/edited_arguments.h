// Arguments that a user has put in place of those of a call, when asked whether it may run. They are in the `metadata`
// of the answer, which is `false`: readers that know nothing of them never run the call.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/json.h"

namespace turnlog {

// The field of events that has an ArgumentsHash.
inline constexpr std::string_view kArgumentsHash = "arguments_hash";

// 32 hexadecimal digits for the tool's name and its arguments, letter by letter. Equal calls have equal ones, in any
// conversation.
std::string ArgumentsHash(std::string_view tool, const Json& arguments);
std::string ArgumentsHash(std::string_view tool, const JsonView& arguments);

// {"edited_arguments","arguments_hash"}: the metadata of such an answer, with the arguments without white space.
Json EditedArgumentsMetadata(std::string_view tool, const Json& arguments);

// What the metadata of an answer has of them, as text in it; empty if there are none.
JsonView FindEditedArguments(const JsonView& metadata);
// The same, but empty if they are not what the user wrote, because a part of them was redacted since. Only these may
// run.
JsonView FindIntactEditedArguments(std::string_view tool, const JsonView& metadata);

}  // namespace turnlog
