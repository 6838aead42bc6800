#include "migrate/langgraph/msgpack.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/utf8.h"
#include "migrate/records/real_number.h"
#include "schema/json/json_writer.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

// A map without texts as keys is three arrays and objects of JSON; the value at the end, and the row around all, are
// up to three more.
constexpr int kMaxDepth = (kMaxJsonDepth - 3) / 3;
constexpr std::int8_t kLastExtension = 7;  // of LangGraph's own: all hold MessagePack

// Appends one value after the other; false at the first byte that is none.
class Reader {
 public:
  Reader(std::string_view bytes, std::string& out, int depth) : in_(bytes), out_(out), depth_(depth) {}

  bool at_end() const { return in_.empty(); }

  bool Value() {
    std::uint64_t tag = 0;
    if (depth_ > kMaxDepth || !Number(1, tag)) return false;
    if (tag < 0x80) return Integer(static_cast<std::int64_t>(tag));
    if (tag >= 0xe0) return Integer(static_cast<std::int64_t>(tag) - 0x100);
    if (tag < 0x90) return Map(tag & 0xf);
    if (tag < 0xa0) return Array(tag & 0xf);
    if (tag < 0xc0) return String(tag & 0x1f);
    return Tagged(static_cast<std::uint8_t>(tag));
  }

 private:
  bool Tagged(std::uint8_t tag) {
    std::uint64_t n = 0;
    switch (tag) {
      case 0xc0:
        return Word("null");
      case 0xc2:
        return Word("false");
      case 0xc3:
        return Word("true");
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return Number(1U << (tag - 0xc4), n) && Bytes(n);
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return Number(1U << (tag - 0xc7), n) && Extension(n);
      case 0xca:
        return Number(4, n) && Float(std::bit_cast<float>(static_cast<std::uint32_t>(n)));
      case 0xcb:
        return Number(8, n) && Float(std::bit_cast<double>(n));
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return Number(1U << (tag - 0xcc), n) && Word(fmt::format("{}", n));
      case 0xd0:
        return Number(1, n) && Integer(static_cast<std::int8_t>(n));
      case 0xd1:
        return Number(2, n) && Integer(static_cast<std::int16_t>(n));
      case 0xd2:
        return Number(4, n) && Integer(static_cast<std::int32_t>(n));
      case 0xd3:
        return Number(8, n) && Integer(static_cast<std::int64_t>(n));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return Extension(std::uint64_t{1} << (tag - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return Number(1U << (tag - 0xd9), n) && String(n);
      case 0xdc:
      case 0xdd:
        return Number(tag == 0xdc ? 2 : 4, n) && Array(n);
      case 0xde:
      case 0xdf:
        return Number(tag == 0xde ? 2 : 4, n) && Map(n);
      default:
        return false;
    }
  }

  // Big-endian.
  bool Number(std::size_t size, std::uint64_t& value) {
    if (in_.size() < size) return false;
    value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<std::uint8_t>(in_[i]);
    in_.remove_prefix(size);
    return true;
  }

  bool Take(std::uint64_t size, std::string_view& bytes) {
    if (size > in_.size()) return false;
    bytes = in_.substr(0, size);
    in_.remove_prefix(size);
    return true;
  }

  bool Word(std::string_view word) { return out_ += word, true; }
  bool Integer(std::int64_t value) { return Word(fmt::format("{}", value)); }
  bool Float(double value) { return AppendRealNumber(value, out_), true; }

  bool String(std::uint64_t size) {
    std::string_view text;
    if (!Take(size, text)) return false;
    if (!IsUtf8(text)) return Base64(text);
    return AppendJsonString(text, out_), true;
  }

  bool Base64(std::string_view bytes) {
    out_ += R"({"$base64":")";
    AppendBase64(bytes, out_);
    return Word("\"}");
  }

  bool Bytes(std::uint64_t size) {
    std::string_view bytes;
    return Take(size, bytes) && Base64(bytes);
  }

  bool Array(std::uint64_t count) {
    out_.push_back('[');
    ++depth_;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) out_.push_back(',');
      if (!Value()) return false;
    }
    --depth_;
    return Word("]");
  }

  bool Map(std::uint64_t count) {
    const std::size_t begin = out_.size();
    std::vector<std::size_t> colons, ends;
    bool strings = true;
    ++depth_;
    out_.push_back('{');
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t key = out_.size();
      if (!Value()) return false;
      strings &= out_[key] == '"';
      colons.push_back(out_.size());
      out_.push_back(':');
      if (!Value()) return false;
      ends.push_back(out_.size());
      out_.push_back(',');
    }
    --depth_;
    if (!strings) return Pairs(begin, colons, ends);
    if (count > 0) out_.pop_back();
    return Word("}");
  }

  // The map that is written from `begin` on, as a list. Its values are not read again: maps in maps, each with a last
  // key that is no string, would take twice the time with each level.
  bool Pairs(std::size_t begin, std::span<const std::size_t> colons, std::span<const std::size_t> ends) {
    const std::string map = out_.substr(begin);
    out_.resize(begin);
    out_ += R"({"$map":[)";
    std::size_t at = 1;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::size_t colon = colons[i] - begin, end = ends[i] - begin;
      out_.append(i > 0 ? ",[" : "[").append(map, at, colon - at);
      out_.append(",").append(map, colon + 1, end - colon - 1).append("]");
      at = end + 1;
    }
    return Word("]}");
  }

  bool Extension(std::uint64_t size) {
    std::uint64_t code = 0;
    std::string_view bytes;
    if (!Number(1, code) || !Take(size, bytes)) return false;
    const auto number = static_cast<std::int8_t>(code);
    out_ += fmt::format(R"({{"$ext":{},"value":)", number);
    const std::size_t begin = out_.size();
    Reader inner(bytes, out_, depth_ + 1);
    if (number < 0 || number > kLastExtension || !inner.Value() || !inner.at_end()) {
      out_.resize(begin);
      Base64(bytes);
    }
    return Word("}");
  }

  std::string_view in_;
  std::string& out_;
  int depth_;
};

}  // namespace

std::optional<std::string> MsgpackToJson(std::string_view bytes) {
  std::string json;
  Reader reader(bytes, json, 0);
  if (!reader.Value() || !reader.at_end()) return std::nullopt;
  return json;
}

}  // namespace turnlog
