// An optional value whose type may be incomplete where this is a member: an event may contain other events.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace turnlog {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(std::nullopt_t) {}  // NOLINT(google-explicit-constructor): as std::optional
  template <class U>
    requires std::same_as<std::remove_cvref_t<U>, T>
  Boxed(U&& value) {  // NOLINT(google-explicit-constructor): as std::optional
    value_.push_back(std::forward<U>(value));
  }
  template <class U>
    requires std::same_as<std::remove_cvref_t<U>, std::optional<T>>
  Boxed(U&& value) {  // NOLINT(google-explicit-constructor): as between optionals
    if (value) value_.push_back(*std::forward<U>(value));
  }

  bool has_value() const { return !value_.empty(); }
  explicit operator bool() const { return has_value(); }
  // REQUIRES: has_value().
  T& operator*() & { return value_.front(); }
  const T& operator*() const& { return value_.front(); }
  T* operator->() & { return value_.data(); }
  const T* operator->() const& { return value_.data(); }
  void operator*() const&& = delete;  // the value goes with the temporary; ToOptional copies it
  void operator->() const&& = delete;
  std::optional<T> ToOptional() const { return has_value() ? std::optional<T>(value_.front()) : std::nullopt; }

  bool operator==(const Boxed& other) const { return value_ == other.value_; }

 private:
  std::vector<T> value_;  // at most one element: a vector allows an incomplete type
};

}  // namespace turnlog
