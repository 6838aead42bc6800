// Random events and random damage. A failure prints its seed; TURNLOG_SEED repeats it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "schema/event/codec.h"
#include "schema/json/json_scan.h"
#include "tests/schema/aligned_bytes.h"
#include "tests/schema/sample_events.h"
#include "turnlog/event_json.h"

namespace turnlog::event_json_property_test {
namespace {

class EventJsonProperty : public testing::Test {
 protected:
  EventJsonProperty() : random_(Seed()) {}

  static unsigned Seed() {
    static const unsigned seed = [] {
      const char* given = std::getenv("TURNLOG_SEED");
      return given != nullptr ? static_cast<unsigned>(std::atoll(given)) : std::random_device()();
    }();
    return seed;
  }

  std::size_t Below(std::size_t limit) { return random_() % limit; }

  std::string Pick(std::initializer_list<const char*> choices) { return choices.begin()[Below(choices.size())]; }

  std::string Space() { return Pick({"", "", "", " ", "\n", "\t \r\n"}); }

  std::string StringToken() {
    std::string token = "\"";
    for (std::size_t i = Below(12); i > 0; --i) {
      token += Pick({"a", "type", "é", "€", "𝄞", "\x7f", "\\n", "\\\"", "\\\\", "\\/", "\\u0000", "\\u00e9",
                     "\\ud834\\udd1e", "{", "]", ":", ","});
    }
    return token + "\"";
  }

  std::string Value(int depth) {
    switch (Below(depth > 4 ? 3 : 5)) {
      case 0:
        return StringToken();
      case 1:
        return Pick({"0", "-0.0", "1.0", "1E400", "-1e-7", "9223372036854775807", "18446744073709551616", "0.1"});
      case 2:
        return Pick({"null", "true", "false"});
      case 3:
        return Sequence('[', ']', [&] { return Value(depth + 1); });
      default:
        return Object(depth + 1);
    }
  }

  std::string Object(int depth) {
    return Sequence('{', '}', [&] { return StringToken() + Space() + ":" + Space() + Value(depth); });
  }

  template <class Element>
  std::string Sequence(char open, char close, const Element& element) {
    std::string text = open + Space();
    const std::size_t count = Below(4);
    for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + Space() + element() + Space();
    return text + close;
  }

  std::mt19937 random_;
};

TEST_F(EventJsonProperty, FreeFormValuesComeBackAsTheyWere) {
  EventParser parser;
  for (int round = 0; round < 3000; ++round) {
    const std::string metadata = Object(0), data = Value(0), unknown = Value(0);
    const std::string json =
        "{\"type\":\"chat_response\",\"data\":" + data + ",\"metadata\":" + metadata + ",\"x\":" + unknown + "}";
    const auto event = parser.Parse(json);
    ASSERT_TRUE(event) << "seed " << Seed() << ": " << event.error().message << "\n" << json;
    EXPECT_EQ(std::get<BasicChatResponse<std::string_view>>(event->body).content, data);
    EXPECT_EQ(event->metadata.text(), metadata);
    EXPECT_EQ(event->extra.text(), "{\"x\":" + unknown + "}");
    ASSERT_TRUE(Validate(*event)) << "seed " << Seed() << "\n" << json;
  }
}

TEST_F(EventJsonProperty, StringsMeanTheSameToBothReaders) {
  EventParser parser;
  for (int round = 0; round < 3000; ++round) {
    const std::string token = StringToken();
    const auto event = parser.Parse(R"({"type":"chat_request","content":)" + token + "}");
    ASSERT_TRUE(event) << "seed " << Seed() << "\n" << token;
    const std::string content(std::get<BasicChatRequest<std::string_view>>(event->body).content);
    EXPECT_EQ(content, UnescapeJson(token)) << "seed " << Seed();
    EXPECT_EQ(UnescapeJson(JsonString(content).text()), content) << "seed " << Seed();
  }
}

// What is accepted after damage is valid JSON, passes validation, and survives both forms.
TEST_F(EventJsonProperty, DamagedTextIsRefusedOrConsistent) {
  const auto samples = SampleEvents();
  EventParser parser;
  EventEncoder encoder;
  for (int round = 0; round < 20000; ++round) {
    std::string json = ToJson(View(samples[Below(samples.size())].event));
    for (std::size_t edits = 1 + Below(3); edits > 0 && !json.empty(); --edits) {
      const std::size_t at = Below(json.size());
      switch (Below(4)) {
        case 0:
          json.erase(at, 1 + Below(4));
          break;
        case 1:
          json.insert(at, Pick({"{", "}", "[", "]", ",", ":", "\"", "\\", " ", "0", "-", "null", "\xff"}));
          break;
        case 2:
          json[at] = static_cast<char>(random_());
          break;
        default:
          json.insert(at, json.substr(Below(json.size()), Below(20)));
          break;
      }
    }
    const auto parsed = parser.Parse(json);
    if (!parsed) continue;
    const Event event = Own(*parsed);
    ASSERT_FALSE(FindJsonFault(json)) << "seed " << Seed() << "\n" << json;
    const Status status = Validate(View(event));
    ASSERT_TRUE(status) << "seed " << Seed() << ": " << status.error().message << "\n" << json;
    AlignedBytes bytes(encoder.Encode(View(event)));
    const auto decoded = DecodeEvent(bytes.view());
    ASSERT_TRUE(decoded) << "seed " << Seed() << ": " << decoded.error().message << "\n" << json;
    EXPECT_EQ(Own(*decoded), event) << "seed " << Seed() << "\n" << json;
    const std::string written = ToJson(View(event));
    const auto again = ParseEvent(written);
    ASSERT_TRUE(again) << "seed " << Seed() << ": " << again.error().message << "\n" << written;
    EXPECT_EQ(ToJson(View(*again)), written) << "seed " << Seed();
  }
}

TEST_F(EventJsonProperty, EveryTruncationIsRefused) {
  for (const auto& [name, event] : SampleEvents()) {
    const std::string json = ToJson(View(event));
    for (std::size_t size = 0; size < json.size(); ++size) {
      EXPECT_FALSE(ParseEvent(std::string_view(json).substr(0, size))) << name << " cut to " << size;
    }
  }
}

}  // namespace
}  // namespace turnlog::event_json_property_test
