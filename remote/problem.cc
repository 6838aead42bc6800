#include "remote/problem.h"

#include <fmt/format.h>

#include <array>

#include "http/message.h"
#include "remote/object_reader.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr std::array kCodes{ErrorCode::kInvalidArgument, ErrorCode::kNotFound,
                            ErrorCode::kConflict,        ErrorCode::kSecretRefused,
                            ErrorCode::kCorruption,      ErrorCode::kUnsupportedVersion,
                            ErrorCode::kUnsupported,     ErrorCode::kBusy,
                            ErrorCode::kReadOnly,        ErrorCode::kIo,
                            ErrorCode::kNeedsReopen};

}  // namespace

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kConflict:
      return 409;
    case ErrorCode::kSecretRefused:
      return 422;
    case ErrorCode::kUnsupportedVersion:
    case ErrorCode::kUnsupported:
      return 501;
    case ErrorCode::kBusy:
      return 423;
    case ErrorCode::kReadOnly:
      return 403;
    case ErrorCode::kNeedsReopen:
      return 503;
    case ErrorCode::kCorruption:
    case ErrorCode::kIo:
      return 500;
  }
  return 500;
}

std::string ToProblem(const Error& error) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("title", ToString(error.code));
  json.Key("status"), json.Unsigned(static_cast<std::uint64_t>(StatusOf(error.code)));
  json.Field("detail", error.message);
  json.Field("code", ToString(error.code));
  if (error.last_seq) json.Key("last_seq"), json.Unsigned(*error.last_seq);
  json.EndObject();
  return text;
}

std::string ToProblem(int status, std::string_view detail) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("title", StatusText(status));
  json.Key("status"), json.Unsigned(static_cast<std::uint64_t>(status));
  json.Field("detail", detail);
  json.EndObject();
  return text;
}

Error FromProblem(int status, std::string_view json) {
  const auto problem = ObjectReader::Parse(json);
  if (!problem) return {ErrorCode::kIo, fmt::format("the service answered with status {}", status)};
  return FromProblem(status, *problem);
}

Error FromProblem(int status, const ObjectReader& problem) {
  Error error{status >= 400 && status < 500 ? ErrorCode::kInvalidArgument : ErrorCode::kIo,
              problem.FindText("detail").value_or(fmt::format("the service answered with status {}", status)),
              problem.FindNumber("last_seq")};
  const auto name = problem.FindText("code");
  for (const ErrorCode code : kCodes) {
    if (name == ToString(code)) error.code = code;
  }
  return error;
}

}  // namespace turnlog
