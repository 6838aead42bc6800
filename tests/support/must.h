// Results in tests: the value or the end of the test, and errors as words.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "turnlog/result.h"

namespace turnlog {

// The value, or the end of the test with the error's words.
template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(std::string(ToString(result.error().code)) + ": " + result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// "fine", or the error's code as a word.
template <class T>
std::string CodeOf(const Result<T>& result) {
  return std::string(result ? "fine" : ToString(result.error().code));
}

inline std::string CodeOf(const std::optional<Error>& problem) {
  return std::string(problem ? ToString(problem->code) : "fine");
}

// "", or the error's message.
template <class T>
std::string MessageOf(const Result<T>& result) {
  return result ? "" : result.error().message;
}

}  // namespace turnlog
