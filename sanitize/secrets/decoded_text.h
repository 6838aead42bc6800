// The decoded form of a text, with the source of each part in the text.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/secret_string.h"

namespace turnlog {

// A part of a text: [begin, end), never empty.
struct TextSpan {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const TextSpan&) const = default;
};

// Sorted and merged where they touch or overlap.
std::vector<TextSpan> MergeSpans(std::vector<TextSpan> spans);

class DecodedText {
 public:
  // `room`: the maximal size of the text.
  explicit DecodedText(std::size_t room) : out_(text_.Resize(room).data()) {}
  DecodedText(DecodedText&&) = default;
  DecodedText& operator=(DecodedText&&) = default;

  void Append(std::string_view source) {
    std::memcpy(out_ + size_, source.data(), source.size());
    size_ += source.size();
  }
  void Append(char letter) { out_[size_++] = letter; }
  // Sets the source of everything appended since the text had `begin` bytes.
  void EndSpan(std::size_t begin, TextSpan source) { spans_.push_back({{begin, size_}, source}); }

  std::size_t size() const { return size_; }
  std::string_view text() const { return text_.view().substr(0, size_); }
  // The smallest part of the source that covers `span` of the text; whole units only.
  TextSpan Source(TextSpan span) const;

 private:
  struct SourceSpan {
    TextSpan text, source;
  };
  TextSpan SourceOfByte(std::size_t at) const;

  SecretString text_;
  char* out_;
  std::size_t size_ = 0;
  std::vector<SourceSpan> spans_;  // ascending; text between two of them is the same in the source
};

}  // namespace turnlog
