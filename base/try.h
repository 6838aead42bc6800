#pragma once

#include <utility>

// The value of a Result, or returns its error from the function. A macro, because C++ has no `?` operator.
// Not among the arguments of `new`: their evaluation may come after the allocation, which the return would leak.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define TURNLOG_TRY(expression)                                                             \
  __extension__({                                                                           \
    auto turnlog_try_result = (expression);                                                 \
    if (!turnlog_try_result) return std::unexpected(std::move(turnlog_try_result).error()); \
    *std::move(turnlog_try_result);                                                         \
  })
// NOLINTEND(bugprone-macro-parentheses)
