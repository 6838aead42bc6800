// Generated sessions of each format whose sources are files.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace turnlog {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t Below(std::size_t end) { return random_() % end; }
  std::string Pick(const std::vector<std::string>& from) { return from[Below(from.size())]; }
  // As it may be within quotes: what writers escape differently, and much of it.
  std::string Text() {
    static const std::vector<std::string> kParts{
        "word ", "\\n",        "\\u00e9",        "\\u001b[0m",       "\\\"quoted\\\"", "\\/",
        "/",     "\xc3\xa9",   "\\ud83d\\ude00", "\\\\n\\t",         "{\\\"",          "",
        "<tag>", "[redacted]", "\\u0000",        "\xf0\x9f\x98\x80", "\\u0002"};
    std::string text;
    for (std::size_t i = Below(12); i > 0; --i) text += Pick(kParts);
    if (Below(40) == 0) text += std::string(Below(20'000), 'x');
    return text;
  }
  std::string Json() {
    return Pick(
        {"1", "-0.50", "1e400", "null", "true", "\"" + Text() + "\"", "[]", "{ }", "[1 ,2]", R"({"a":{"b":[]}})"});
  }
  // Nothing, or fields that no version has.
  std::string More() { return Below(3) == 0 ? fmt::format(R"(,"x-new":{})", Json()) : std::string(); }
  std::string Space() { return Pick({"", "", " ", "\n", "\r\n", "\n\n"}); }
  std::string Id() { return fmt::format("id{}", Below(12)); }
  std::string NewId() { return fmt::format("{:08x}-4e5f-4061-8071-2a3b4c5d6e7f", ++ids_); }

 private:
  std::mt19937_64 random_;
  std::uint32_t ids_ = 0;
};

struct GeneratedKind {
  std::string format, file;
  std::function<std::string(Generator& any)> make;

  friend void PrintTo(const GeneratedKind& kind, std::ostream* out) { *out << kind.format << " " << kind.file; }
};
std::span<const GeneratedKind> GeneratedKinds();

}  // namespace turnlog
