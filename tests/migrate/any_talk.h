// Random conversations for property tests: events of all kinds in any order, with ids that repeat, blank texts, and
// seals of several models.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "turnlog/event.h"

namespace turnlog {

inline std::string TestSignature(const std::string& text) {
  std::string base64;
  AppendBase64(std::string("\x12") + static_cast<char>(text.size()) + text, base64);
  return base64;
}

inline std::string TestToken() {
  std::string token;
  AppendBase64("\x80" + std::string(8 + 16 + 32 + 32, 'x'), token);
  return token;
}

class AnyTalk {
 public:
  enum class Order : std::uint8_t {
    kAny,
    kOfTurns,  // begins with a request, and no turn answers the calls of another
  };

  explicit AnyTalk(std::uint64_t seed, Order order = Order::kAny) : random_(seed), order_(order) {}

  std::mt19937_64& random() { return random_; }

  Event Next() {
    ++events_;
    if (order_ == Order::kOfTurns && events_ == 2) return Prompt();
    Event event = order_ == Order::kOfTurns && events_ == 1 ? Event() : AnyEvent();
    if (event.kind() == EventKind::kTurnStart) ++turns_;
    return event;
  }

 private:
  Event Prompt() { return {.body = ChatRequest{.content = "Look", .author = {}, .schema = {}}}; }

  Event AnyEvent() {
    switch (random_() % 12) {
      case 0:
        return {};
      case 1:
      case 2:
        return {.body = ChatRequest{.content = Text(), .author = {}, .schema = {}}};
      case 3:
        return {.body = ChatResponse{ChatPart::kMessage, Text()}};
      case 4:
        return Reasoning();
      case 5:
      case 6:
      case 7:
        return WithMessage({.body = ToolCallRequest{AnyId(), Pick({"ls", "my tool", "9-lives", "mcp__a__b"}),
                                                    Json::FromTrusted(Pick({"{}", R"({"a":[1,"\u0000"]})"}))}});
      case 8:
      case 9:
      case 10:
        return {.body =
                    ToolCallResponse{.id = AnyId(), .content = Text(), .is_error = random_() % 3 == 0, .denied = {}}};
      default:
        return {.body = Verbatim{EventKind::kUnknown, "note", Json::FromTrusted(R"({"type":"note"})")}};
    }
  }

  std::string Pick(const std::vector<std::string>& list) { return list[random_() % list.size()]; }
  std::string Text() { return Pick({"", " \n", "Text", "a \"b\" \\ \x01 <c>", "\xc3\xa9\n", std::string(3, '\0')}); }
  std::string AnyId() {
    const std::string id = Pick({"a", "b", "a.1", "a_1", "toolu_01", std::string(70, 'y')});
    return order_ == Order::kAny ? id : fmt::format("{}{}", turns_, id);
  }
  Event Reasoning() {
    Event event{.body = ChatResponse{ChatPart::kReasoning, Text()}};
    event.metadata = Json::FromTrusted(fmt::format(
        R"({{"message_id":"{}","model":"{}","opaque":"{}"}})", Pick({"m1", "m2"}),
        Pick({"claude-opus-4-5", "claude-opus-5", "gpt-5"}), Pick({TestSignature("s"), TestToken(), "broken"})));
    return event;
  }
  Event WithMessage(Event event) {
    if (random_() % 2 == 0) return event;
    event.metadata = Json::FromTrusted(fmt::format(R"({{"message_id":"{}"}})", Pick({"m1", "m2"})));
    return event;
  }

  std::mt19937_64 random_;
  const Order order_;
  int events_ = 0, turns_ = 0;
};

}  // namespace turnlog
