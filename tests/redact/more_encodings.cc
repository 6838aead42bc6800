#include "tests/redact/more_encodings.h"

#include <fmt/format.h>
#include <zlib.h>

#include <stdexcept>

#include "tests/secrets/encodings.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog {
namespace {

std::string Hex(std::string_view value, bool upper, std::string_view separator) {
  std::string hex;
  for (const char letter : value) {
    if (!hex.empty()) hex += separator;
    const auto byte = static_cast<unsigned char>(letter);
    hex += upper ? fmt::format("{:02X}", byte) : fmt::format("{:02x}", byte);
  }
  return hex;
}

// "6875 6e74 ...", as xxd writes it.
std::string HexPairs(std::string_view value) {
  const std::string hex = Hex(value, false, "");
  std::string pairs;
  for (std::size_t at = 0; at < hex.size(); at += 4) pairs.append(at == 0 ? "" : " ").append(hex, at, 4);
  return pairs;
}

// The UTF-8 characters of the value.
std::vector<std::string_view> Characters(std::string_view value) {
  std::vector<std::string_view> characters;
  for (std::size_t begin = 0; begin < value.size();) {
    std::size_t end = begin + 1;
    while (end < value.size() && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) ++end;
    characters.push_back(value.substr(begin, end - begin));
    begin = end;
  }
  return characters;
}

std::uint32_t CodeOf(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i])); };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    case 3:
      return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    default:
      return (byte(0) & 7) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
  }
}

// Each character as `format` shows its code point.
template <class Format>
std::string Each(std::string_view value, Format format) {
  std::string out;
  for (const std::string_view character : Characters(value)) out += format(CodeOf(character));
  return out;
}

std::string WithEntities(std::string_view value) {
  std::string out;
  for (const char letter : value) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string Utf16(std::string_view value, bool big_endian) {
  std::string out;
  const auto add = [&](std::uint32_t unit) {
    const auto high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    out += big_endian ? std::string{high, low} : std::string{low, high};
  };
  for (const std::string_view character : Characters(value)) {
    const std::uint32_t code = CodeOf(character);
    if (code < 0x10000) {
      add(code);
    } else {
      add(0xd800 + ((code - 0x10000) >> 10));
      add(0xdc00 + ((code - 0x10000) & 0x3ff));
    }
  }
  return out;
}

std::string QuotedPrintable(std::string_view value) {
  std::string out;
  for (const char letter : value) {
    const auto byte = static_cast<unsigned char>(letter);
    out += letter == '=' || byte >= 0x80 ? fmt::format("={:02X}", byte) : std::string(1, letter);
  }
  return out;
}

// `between` after every fifth character.
std::string Split(std::string_view value, std::string_view between) {
  std::string out;
  std::size_t count = 0;
  for (const std::string_view character : Characters(value)) {
    if (count > 0 && count % 5 == 0 && character != "\n" && !out.ends_with('\n')) out += between;
    out += character;
    ++count;
  }
  return out;
}

std::string NumberedLines(std::string_view value) {
  std::string out = "   1\u2192";
  int line = 1;
  for (const char letter : Split(value, "\n")) {
    out += letter;
    if (letter == '\n') out += fmt::format("{:4}\u2192", ++line);
  }
  return out;
}

std::string JsonTimes(std::string_view value, int times) {
  FakeSecrets fake(3);
  std::string text(value);
  for (int i = 0; i < times; ++i) text = "{\"x\":\"" + EscapeJson(text, fake, 1000) + "\"}";
  return text;
}

}  // namespace

std::string CompressedBase64(std::string_view text, bool gzip) {
  z_stream stream{};
  if (::deflateInit2(&stream, 9, Z_DEFLATED, gzip ? 15 + 16 : 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string in(text), out(::deflateBound(&stream, in.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  (void)::deflateEnd(&stream);
  return EncodeBase64(out);
}

std::vector<NamedEncoding> PromisedEncodings() {
  std::vector<NamedEncoding> all{{"plain", [](auto value) { return std::string(value); }}};
  const auto add = [&](std::string_view name, auto encode) { all.push_back({name, encode}); };
  for (const int times : {1, 2, 4}) add("JSON", [times](std::string_view value) { return JsonTimes(value, times); });
  add("JSON, all escaped", [](auto value) {
    FakeSecrets fake(4);
    return EscapeJson(value, fake, 1);
  });
  add("percent", [](auto value) {
    FakeSecrets fake(5);
    return EscapePercent(value, fake, 1);
  });
  add("\\u{}", [](auto value) { return Each(value, [](auto code) { return fmt::format("\\u{{{:x}}}", code); }); });
  add("&#;", [](auto value) { return Each(value, [](auto code) { return fmt::format("&#{};", code); }); });
  add("&#x;", [](auto value) { return Each(value, [](auto code) { return fmt::format("&#x{:X};", code); }); });
  add("entities", WithEntities);
  add("entities in JSON", [](auto value) { return JsonTimes(WithEntities(value), 2); });
  add("quoted-printable", QuotedPrintable);
  for (const std::string_view separator : {"", " ", ":", ", 0x"}) {
    for (const bool upper : {false, true})
      add("hex", [=](std::string_view value) { return fmt::format("<{}>", Hex(value, upper, separator)); });
  }
  add("xxd", [](auto value) { return HexPairs(value); });
  add("base64", [](auto value) { return EncodeBase64("some " + std::string(value) + " tail"); });
  add("base64 twice", [](auto value) { return EncodeBase64(EncodeBase64(value)); });
  add("base64 of UTF-16 LE", [](auto value) { return EncodeBase64(Utf16(value, false)); });
  add("base64 of UTF-16 BE", [](auto value) { return EncodeBase64(std::string("x").append(Utf16(value, true))); });
  add("gzip", [](auto value) { return CompressedBase64("here: " + std::string(value) + "!", true); });
  add("zlib", [](auto value) { return CompressedBase64("here: " + std::string(value) + "!", false); });
  add("gzip of JSON", [](auto value) { return CompressedBase64(JsonTimes(value, 1), true); });
  add("wrapped", [](auto value) { return Split(value, "\n"); });
  add("wrapped in a frame", [](auto value) { return "\u2502 " + Split(value, " \u2502\n\u2502 ") + " \u2502"; });
  add("wrapped in a quote", [](auto value) { return std::string("> ").append(Split(value, "\n> ")); });
  add("numbered lines", NumberedLines);
  add("colors", [](auto value) { return Split(value, "\x1b[0m\x1b[1;31m"); });
  add("zero width", [](auto value) { return Split(value, "\u200b"); });
  add("variation selectors", [](auto value) { return Split(value, "\ufe0f"); });
  add("tags", [](auto value) { return Split(value, "\U000e0041\U000e0142"); });
  add("soft line breaks", [](auto value) {
    return std::string(70, '.') + QuotedPrintable(value.substr(0, 5)) + "=\r\n" + QuotedPrintable(value.substr(5));
  });
  add("colors in JSON", [](auto value) { return JsonTimes(Split(value, "\x1b[0m"), 1); });
  return all;
}

}  // namespace turnlog
