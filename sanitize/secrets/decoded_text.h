// What a text says when an encoding is undone, and where in the text each part of that stands.
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

// Sorted, and one where several touch or overlap.
std::vector<TextSpan> MergeSpans(std::vector<TextSpan> spans);

class DecodedText {
 public:
  // With room for so many bytes and no more.
  explicit DecodedText(std::size_t room) : out_(text_.Resize(room).data()) {}
  DecodedText(DecodedText&&) = default;
  DecodedText& operator=(DecodedText&&) = default;

  void Append(std::string_view source) {
    std::memcpy(out_ + size_, source.data(), source.size());
    size_ += source.size();
  }
  void Append(char letter) { out_[size_++] = letter; }
  // What was appended since the text had `begin` bytes is said by `source` as a whole.
  void EndSpan(std::size_t begin, TextSpan source) { spans_.push_back({{begin, size_}, source}); }

  std::size_t size() const { return size_; }
  std::string_view text() const { return text_.view().substr(0, size_); }
  // The least part of the source that says `span` of the text; never a part of a unit.
  TextSpan Source(TextSpan span) const;

 private:
  struct SourceSpan {
    TextSpan text, source;
  };
  TextSpan SourceOfByte(std::size_t at) const;

  SecretString text_;
  char* out_;
  std::size_t size_ = 0;
  std::vector<SourceSpan> spans_;  // by place; what is between two of them stands in the source letter by letter
};

}  // namespace turnlog
