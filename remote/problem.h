// The library's errors in responses, one to one: "application/problem+json" (RFC 9457).
#pragma once

#include <string>
#include <string_view>

#include "turnlog/result.h"

namespace turnlog {

class ObjectReader;

inline constexpr std::string_view kProblemType = "application/problem+json";

// The status of a response with this error.
int StatusOf(ErrorCode code);
// {"title","status","detail","code","last_seq"}: `code` as ToString has it.
std::string ToProblem(const Error& error);
// The same for what is no error of the library's, such as a wrong token; `code` is left out.
std::string ToProblem(int status, std::string_view detail);
// The error in a response with this status. Without a known `code`: kIo, or kInvalidArgument if the request was wrong.
Error FromProblem(int status, std::string_view json);
Error FromProblem(int status, const ObjectReader& problem);

}  // namespace turnlog
