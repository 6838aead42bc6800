// Leaves presumed secrets out of the texts of a transcript.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sanitize/secrets/secret_detector.h"
#include "turnlog/result.h"

namespace turnlog {

class SecretFilter {
 public:
  // `keep`: changes nothing.
  static Result<SecretFilter> Make(bool keep);

  std::string Text(std::string_view text);
  std::string Json(std::string_view json);
  bool keeps() const { return detector_ == nullptr; }
  // A secret that was found by other means.
  void Count() { ++found_; }
  std::uint64_t found() const { return found_; }

 private:
  explicit SecretFilter(std::unique_ptr<SecretDetector> detector) : detector_(std::move(detector)) {}

  std::unique_ptr<SecretDetector> detector_;
  std::uint64_t found_ = 0;
};

}  // namespace turnlog
