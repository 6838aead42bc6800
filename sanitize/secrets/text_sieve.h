// Tells which of many short texts a detector must search, at a fraction of what searching each of them takes: most have
// no keyword and nothing encoded. They are looked at as one text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/secrets/secret_detector.h"

namespace turnlog {

class TextSieve {
 public:
  // `detector` must outlive it.
  explicit TextSieve(const SecretDetector& detector) : detector_(&detector) {}

  static constexpr std::size_t kMaxBytes = 1000;  // longer texts are searched as fast by themselves
  // REQUIRES: at most kMaxBytes.
  void Add(std::string_view text);
  // Calls on_text with each text that was added in which the detector may find something, and forgets all of them.
  template <class OnText>
  void Empty(OnText&& on_text) {
    Mark();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (marked_[i]) on_text(std::string_view(joined_).substr(begin, ends_[i] - begin));
      begin = ends_[i] + 1;
    }
    joined_.clear();
    ends_.clear();
  }

 private:
  void Mark();
  std::size_t TextAt(std::size_t at) const;

  const SecretDetector* detector_;
  std::string joined_;
  std::vector<std::size_t> ends_;  // of the texts, each with a quote after it
  std::vector<bool> marked_;       // those in which something may be found
};

}  // namespace turnlog
