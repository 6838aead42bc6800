// The decoded form of a text, with the source of each part in the text.
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace turnlog {

// A part of a text: [begin, end), never empty.
struct TextSpan {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const TextSpan&) const = default;
};

// Sorted and merged where they touch or overlap.
std::vector<TextSpan> MergeSpans(std::vector<TextSpan> spans);

// Which spans of a decoded text stand for which of its source; text between two of them is the same in the source.
// One to a few bytes for each, because a text may consist of nothing but escapes.
class SourceMap {
 public:
  // REQUIRES: both spans begin at or after the end of the previous ones. `text` may be empty: what was left out.
  void Add(TextSpan text, TextSpan source) {
    if (count_++ % kEntriesPerMark == 0) marks_.push_back({last_, bytes_.size()});
    const std::size_t same = text.begin - last_.text, left_out = source.begin - last_.source - same;
    const bool usual = left_out == 0 && text.size() == kUsualText && source.size() == kUsualSource;
    last_ = {text.end, source.end};
    if (usual && same < 0x40) return bytes_.push_back(static_cast<std::uint8_t>(2 * same));
    PutNumber(2 * same + (usual ? 0 : 1));
    if (!usual) PutOthers(left_out, text.size(), source.size());
  }

  struct Entry {
    TextSpan text, source;
  };
  // The span that text[at] is in, or that byte.
  Entry At(std::size_t at) const;

 private:
  friend class SourceMapReader;
  static constexpr std::size_t kEntriesPerMark = 32;
  // What is found most: "\n" for a line break. Such an entry is one number, twice the text before it.
  static constexpr std::size_t kUsualText = 1, kUsualSource = 2;

  // An entry is only found by reading all from the last mark on.
  struct Ends {
    std::size_t text = 0, source = 0;
  };
  struct Mark {
    Ends last;  // of the entry before it
    std::size_t at = 0;
  };

  void PutNumber(std::size_t number);
  void PutOthers(std::size_t left_out, std::size_t text, std::size_t source);
  std::size_t TakeNumber(std::size_t& at) const;
  Entry Next(const Entry& last, std::size_t& at) const;

  static Entry At(std::size_t at, const Entry& before);

  std::vector<std::uint8_t> bytes_;
  std::vector<Mark> marks_;
  Ends last_;  // of the last entry
  std::size_t count_ = 0;
};

// Goes through the same once, in order.
class SourceMapReader {
 public:
  explicit SourceMapReader(const SourceMap& map) : map_(map) {}
  // REQUIRES: `at` does not decrease.
  SourceMap::Entry At(std::size_t at);

 private:
  const SourceMap& map_;
  SourceMap::Entry entry_, later_;
  std::size_t next_ = 0;
  bool read_ = false;  // `later_` is the entry after `entry_`
};

class DecodedText {
 public:
  // `room`: the maximal size of the text. Memory that is not written to is not touched.
  explicit DecodedText(std::size_t room)
      : room_(std::make_unique_for_overwrite<char[]>(room + kSmall)), out_(room_.get()) {}
  DecodedText(DecodedText&&) = default;
  ~DecodedText() {
    if (room_ != nullptr) ::explicit_bzero(out_, std::max(size_, written_));
  }

  void Append(std::string_view source) {
    std::memcpy(out_ + size_, source.data(), source.size());
    size_ += source.size();
  }
  // Appends source[begin, end), which is mostly short: what is between two escapes.
  void AppendPart(std::string_view source, std::size_t begin, std::size_t end) {
    if (end - begin > kSmall || begin + kSmall > source.size()) return Append(source.substr(begin, end - begin));
    std::memcpy(out_ + size_, source.data() + begin, kSmall);
    written_ = size_ + kSmall;
    size_ += end - begin;
  }
  void Append(char letter) { out_[size_++] = letter; }
  // The three low bytes of `bits`, the highest first. REQUIRES: room for four.
  void AppendThree(std::uint32_t bits) {
    const std::uint32_t bytes = std::endian::native == std::endian::little ? std::byteswap(bits << 8) : bits << 8;
    std::memcpy(out_ + size_, &bytes, sizeof bytes);
    written_ = size_ + sizeof bytes;
    size_ += 3;
  }
  // Where to write what Grow then appends. REQUIRES: room for `count` bytes.
  char* Room(std::size_t count) {
    written_ = size_ + count;
    return out_ + size_;
  }
  void Grow(std::size_t count) { size_ += count; }
  // Sets the source of everything appended since the text had `begin` bytes.
  void EndSpan(std::size_t begin, TextSpan source) { map_.Add({begin, size_}, source); }

  std::size_t size() const { return size_; }
  std::string_view text() const { return {out_, size_}; }
  // The smallest part of the source that covers `span` of the text; whole units only.
  TextSpan Source(TextSpan span) const { return {map_.At(span.begin).source.begin, map_.At(span.end - 1).source.end}; }
  // The span of the text that has one source with text[at].
  TextSpan PieceAt(std::size_t at) const { return map_.At(at).text; }
  const SourceMap& sources() const { return map_; }

 private:
  static constexpr std::size_t kSmall = 32;  // copied at once

  std::unique_ptr<char[]> room_;
  char* out_;
  std::size_t size_ = 0;
  std::size_t written_ = 0;  // what is written at once may be more than is appended
  SourceMap map_;
};

}  // namespace turnlog
