// Integers as bytes: little-endian in records, big-endian in index keys (so that they sort), varints in index values.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace turnlog {

static_assert(std::endian::native == std::endian::little, "records are read without byte swapping");

template <std::unsigned_integral T>
T LoadLittle(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <std::unsigned_integral T>
void StoreLittle(char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <std::unsigned_integral T>
void StoreBig(char* to, T value) {
  const T swapped = std::byteswap(value);
  std::memcpy(to, &swapped, sizeof swapped);
}

template <std::unsigned_integral T>
void AppendBig(std::string& out, T value) {
  char bytes[sizeof value];
  StoreBig(bytes, value);
  out.append(bytes, sizeof value);
}

template <std::unsigned_integral T>
T LoadBig(const char* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>((value << 8) | static_cast<unsigned char>(from[i]));
  return value;
}

inline constexpr std::size_t kMostVarintBytes = 10;

// Returns where it ends. REQUIRES: kMostVarintBytes.
inline char* PutVarint(std::uint64_t value, char* to) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

inline void AppendVarint(std::string& out, std::uint64_t value) {
  if (value < 0x80) return out.push_back(static_cast<char>(value));
  char bytes[kMostVarintBytes];
  out.append(bytes, PutVarint(value, bytes));
}

constexpr std::size_t VarintBytes(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

inline std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

inline std::int64_t UnZigZag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// Takes values off the front of `bytes`. After a malformed value `ok` is false, and all further values are zero.
struct Decoder {
  std::string_view bytes;
  bool ok = true;

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok = false;
    bytes = {};
    return 0;
  }

  std::string_view Bytes(std::uint64_t length) {
    if (length > bytes.size()) {
      ok = false;
      bytes = {};
      return {};
    }
    const std::string_view taken = bytes.substr(0, length);
    bytes.remove_prefix(length);
    return taken;
  }

  std::string_view Text() { return Bytes(Varint()); }

  std::uint64_t Big() {
    const std::string_view taken = Bytes(sizeof(std::uint64_t));
    return ok ? LoadBig<std::uint64_t>(taken.data()) : 0;
  }

  Hash128 Hash() {
    const std::uint64_t high = Big();
    return {.low = Big(), .high = high};
  }
};

inline void AppendText(std::string& out, std::string_view text) {
  AppendVarint(out, text.size());
  out.append(text);
}

inline void AppendHash(std::string& out, const Hash128& hash) {
  AppendBig(out, hash.high);
  AppendBig(out, hash.low);
}

}  // namespace turnlog
