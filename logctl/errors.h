// The result of a command: an exit code, or a failure with a hint.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "turnlog/result.h"

namespace turnlog {

enum ExitCode : int {
  kFine = 0,
  kFailed = 1,  // also: verify found damage, an import had problems
  kUsage = 2,   // wrong usage
  kFound = 3,   // a check found something: `lint`, or --check
  kBusy = 4,    // `doctor --in-place`: other processes use a file
};

struct Failure {
  Failure(Error error);  // NOLINT(google-explicit-constructor): for TURNLOG_TRY; adds the usual hint
  Failure(ExitCode code, std::string what, std::string advice)
      : exit_code(code), message(std::move(what)), hint(std::move(advice)) {}

  ExitCode exit_code;
  std::string message;
  std::string hint;  // what to do next; may be empty
};

template <class T>
using Expected = std::expected<T, Failure>;
using CommandResult = Expected<ExitCode>;

// "NAME: MESSAGE"; the message alone if it names it already.
std::string Named(std::string_view name, std::string_view message);

std::unexpected<Failure> WrongUsage(std::string message, std::string hint = {});
std::unexpected<Failure> Failed(std::string message, std::string hint = {});

}  // namespace turnlog
