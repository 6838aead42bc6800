// A regular expression that is compiled when it is first needed: most of the several hundred rules are never tried on a
// text, and compiling all of them takes longer than searching some megabytes.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sanitize/secrets/secret_regex.h"

namespace turnlog {

// Any thread may use it.
class LazyRegex {
 public:
  // None.
  LazyRegex() = default;
  explicit LazyRegex(std::string expression) {
    if (!expression.empty()) state_ = std::make_unique<State>(std::move(expression));
  }

  explicit operator bool() const { return state_ != nullptr; }
  // REQUIRES: there is one.
  const RE2& operator*() const {
    std::call_once(state_->once, [this] { state_->regex.emplace(state_->expression, SecretRegexOptions()); });
    return *state_->regex;
  }
  const RE2* operator->() const { return &**this; }

 private:
  struct State {
    explicit State(std::string text) : expression(std::move(text)) {}
    const std::string expression;
    std::once_flag once;
    std::optional<RE2> regex;
  };

  std::unique_ptr<State> state_;
};

}  // namespace turnlog
